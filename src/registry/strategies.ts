// Which kind has which strategy. Kinds that differ by data alone are written out here, the others in their own folder.
import { customResourceDefinitionStrategy } from "./apiextensions/custom-resource-definition/strategy.ts";
import { apiServiceStrategy } from "./apiregistration/api-service/strategy.ts";
import { daemonSetStrategy } from "./apps/daemon-set/strategy.ts";
import { jobStrategy } from "./batch/job/strategy.ts";
import { jobFields } from "./batch/job/fields.ts";
import { certificateSigningRequestFields } from "./certificates/certificate-signing-request/fields.ts";
import { certificateSigningRequestStrategy } from "./certificates/certificate-signing-request/strategy.ts";
import { eventFields } from "./core/event/fields.ts";
import { limitRangeStrategy } from "./core/limit-range/strategy.ts";
import { namespaceFields } from "./core/namespace/fields.ts";
import { namespaceStrategy } from "./core/namespace/strategy.ts";
import { nodeFields } from "./core/node/fields.ts";
import { persistentVolumeStrategy } from "./core/persistent-volume/strategy.ts";
import { podFields } from "./core/pod/fields.ts";
import { podStrategy } from "./core/pod/strategy.ts";
import { replicationControllerFields } from "./core/replication-controller/fields.ts";
import { secretFields } from "./core/secret/fields.ts";
import { serviceAccountStrategy } from "./core/service-account/strategy.ts";
import { serviceFields } from "./core/service/fields.ts";
import { serviceStrategy } from "./core/service/strategy.ts";
import { type FieldTable, plainFields } from "./fields.ts";
import { resourceSliceFields } from "./resource/resource-slice/fields.ts";
import { plainStrategy, type Strategy } from "./strategy.ts";

const eventTtlSeconds = 3600;

const createdByPut: Strategy = { ...plainStrategy, createsOnUpdate: true };
const returned: Strategy = { ...plainStrategy, returnsDeleted: true };
const counted: Strategy = { ...plainStrategy, generation: "OnChange" };
const conditional: Strategy = { ...plainStrategy, unconditionalUpdate: false };
const countedConditional: Strategy = { ...counted, unconditionalUpdate: false };
const storedMetadata: Strategy = { ...plainStrategy, statusMetadata: "FromStored" };
const countedStoredMetadata: Strategy = { ...counted, statusMetadata: "FromStored" };

const strategies: ReadonlyMap<string, Strategy> = new Map([
  ["endpoints", createdByPut],
  [
    "events",
    {
      ...plainStrategy,
      createsOnUpdate: true,
      dependents: "Unsupported",
      ttlSeconds: eventTtlSeconds,
    },
  ],
  ["limitranges", limitRangeStrategy],
  ["namespaces", namespaceStrategy],
  ["nodes", { ...plainStrategy, dropsStatusOnCreate: false }],
  ["persistentvolumeclaims", returned],
  ["persistentvolumes", persistentVolumeStrategy],
  ["pods", podStrategy],
  ["podtemplates", { ...counted, returnsDeleted: true }],
  ["replicationcontrollers", { ...counted, dependents: "Orphan" }],
  ["resourcequotas", returned],
  ["serviceaccounts", serviceAccountStrategy],
  ["services", serviceStrategy],
  ["mutatingadmissionpolicies.admissionregistration.k8s.io", countedConditional],
  ["mutatingadmissionpolicybindings.admissionregistration.k8s.io", countedConditional],
  ["mutatingwebhookconfigurations.admissionregistration.k8s.io", countedConditional],
  [
    "validatingadmissionpolicies.admissionregistration.k8s.io",
    { ...countedConditional, statusMetadata: "FromStored" },
  ],
  ["validatingadmissionpolicybindings.admissionregistration.k8s.io", countedConditional],
  ["validatingwebhookconfigurations.admissionregistration.k8s.io", countedConditional],
  ["customresourcedefinitions.apiextensions.k8s.io", customResourceDefinitionStrategy],
  ["apiservices.apiregistration.k8s.io", apiServiceStrategy],
  ["daemonsets.apps", daemonSetStrategy],
  ["deployments.apps", { ...plainStrategy, generation: "OnChangeOrAnnotations" }],
  ["replicasets.apps", counted],
  ["statefulsets.apps", counted],
  ["cronjobs.batch", counted],
  ["jobs.batch", jobStrategy],
  ["certificatesigningrequests.certificates.k8s.io", certificateSigningRequestStrategy],
  ["leases.coordination.k8s.io", { ...createdByPut, unconditionalUpdate: false }],
  ["endpointslices.discovery.k8s.io", { ...plainStrategy, generation: "OnChangeOrLabels" }],
  ["flowschemas.flowcontrol.apiserver.k8s.io", countedStoredMetadata],
  ["prioritylevelconfigurations.flowcontrol.apiserver.k8s.io", countedStoredMetadata],
  ["ingressclasses.networking.k8s.io", counted],
  ["ingresses.networking.k8s.io", counted],
  ["networkpolicies.networking.k8s.io", counted],
  ["servicecidrs.networking.k8s.io", storedMetadata],
  ["runtimeclasses.node.k8s.io", { ...createdByPut, unconditionalUpdate: false }],
  ["poddisruptionbudgets.policy", countedConditional],
  ["clusterrolebindings.rbac.authorization.k8s.io", createdByPut],
  ["clusterroles.rbac.authorization.k8s.io", createdByPut],
  ["rolebindings.rbac.authorization.k8s.io", createdByPut],
  ["roles.rbac.authorization.k8s.io", createdByPut],
  ["deviceclasses.resource.k8s.io", { ...counted, returnsDeleted: true }],
  ["resourceclaims.resource.k8s.io", { ...storedMetadata, returnsDeleted: true }],
  ["resourceclaimtemplates.resource.k8s.io", returned],
  ["resourceslices.resource.k8s.io", { ...counted, returnsDeleted: true }],
  ["priorityclasses.scheduling.k8s.io", { ...plainStrategy, generation: "Fixed" }],
  [
    "csidrivers.storage.k8s.io",
    { ...conditional, generation: "FromFirstChange", returnsDeleted: true },
  ],
  ["csinodes.storage.k8s.io", { ...conditional, returnsDeleted: true }],
  ["csistoragecapacities.storage.k8s.io", conditional],
  ["storageclasses.storage.k8s.io", returned],
  [
    "volumeattachments.storage.k8s.io",
    { ...conditional, returnsDeleted: true, statusMetadata: "FromStored" },
  ],
  ["volumeattributesclasses.storage.k8s.io", returned],
]);

/** `label` is `pods` or `deployments.apps`. */
export function strategyOf(label: string): Strategy {
  return strategies.get(label) ?? plainStrategy;
}

const byLabel = (...labels: readonly string[]): FieldTable => ({
  ...plainFields,
  indexes: labels.map((label) => ({ by: "label", label })),
});

const fieldTables: ReadonlyMap<string, FieldTable> = new Map([
  ["events", eventFields],
  ["namespaces", namespaceFields],
  ["nodes", nodeFields],
  ["pods", podFields],
  ["replicationcontrollers", replicationControllerFields],
  ["secrets", secretFields],
  ["services", serviceFields],
  ["jobs.batch", jobFields],
  ["certificatesigningrequests.certificates.k8s.io", certificateSigningRequestFields],
  ["endpointslices.discovery.k8s.io", byLabel("kubernetes.io/service-name")],
  ["resourceslices.resource.k8s.io", resourceSliceFields],
]);

export function fieldsOf(label: string): FieldTable {
  return fieldTables.get(label) ?? plainFields;
}
