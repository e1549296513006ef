// The table of defaults: what a kind gets, on every decode, when its author left it out. Pure functions of the object;
// what needs an allocator, admission, a clock or the object's uid is filled elsewhere.
import type { KubeObject } from "../object.ts";
import {
  defaultAdmissionPolicy,
  defaultAdmissionPolicyBinding,
  defaultMutatingWebhooks,
  defaultValidatingWebhooks,
} from "./admissionregistration-defaults.ts";
import {
  defaultDaemonSet,
  defaultDeployment,
  defaultReplicaSet,
  defaultStatefulSet,
} from "./apps-defaults.ts";
import {
  defaultHorizontalPodAutoscaler,
  defaultHorizontalPodAutoscalerV1,
} from "./autoscaling-defaults.ts";
import { defaultCronJob, defaultJob } from "./batch-defaults.ts";
import {
  defaultEndpoints,
  defaultLimitRange,
  defaultNamespace,
  defaultNode,
  defaultPersistentVolume,
  defaultPersistentVolumeClaim,
  defaultPodTemplateObject,
  defaultReplicationController,
} from "./core-defaults.ts";
import { defaultAPIService, defaultCustomResourceDefinition } from "./extension-defaults.ts";
import { defaultFlowSchema, defaultPriorityLevel } from "./flowcontrol-defaults.ts";
import {
  defaultEndpointSlice,
  defaultIngressClass,
  defaultNetworkPolicy,
} from "./networking-defaults.ts";
import { defaultPod } from "./pod-defaults.ts";
import { defaultBinding } from "./rbac-defaults.ts";
import { defaultResourceClaim, defaultResourceClaimTemplate } from "./resource-defaults.ts";
import { defaultSecret } from "./secret-defaults.ts";
import { defaultService } from "./service-defaults.ts";
import {
  defaultCSIDriver,
  defaultPriorityClass,
  defaultStorageClass,
  defaultVolumeAttachment,
} from "./storage-defaults.ts";

/** One kind's function; which kind, the table knows. */
type ApplyDefaults = (object: never) => void;

const table: ReadonlyMap<string, ApplyDefaults> = new Map<string, ApplyDefaults>([
  ["core.v1.Endpoints", defaultEndpoints],
  ["core.v1.LimitRange", defaultLimitRange],
  ["core.v1.Namespace", defaultNamespace],
  ["core.v1.Node", defaultNode],
  ["core.v1.PersistentVolume", defaultPersistentVolume],
  ["core.v1.PersistentVolumeClaim", defaultPersistentVolumeClaim],
  ["core.v1.Pod", defaultPod],
  ["core.v1.PodTemplate", defaultPodTemplateObject],
  ["core.v1.ReplicationController", defaultReplicationController],
  ["core.v1.Secret", defaultSecret],
  ["core.v1.Service", defaultService],
  ["admissionregistration.v1.MutatingAdmissionPolicy", defaultAdmissionPolicy],
  ["admissionregistration.v1.MutatingAdmissionPolicyBinding", defaultAdmissionPolicyBinding],
  ["admissionregistration.v1.MutatingWebhookConfiguration", defaultMutatingWebhooks],
  ["admissionregistration.v1.ValidatingAdmissionPolicy", defaultAdmissionPolicy],
  ["admissionregistration.v1.ValidatingAdmissionPolicyBinding", defaultAdmissionPolicyBinding],
  ["admissionregistration.v1.ValidatingWebhookConfiguration", defaultValidatingWebhooks],
  ["apiextensions.v1.CustomResourceDefinition", defaultCustomResourceDefinition],
  ["apiregistration.v1.APIService", defaultAPIService],
  ["apps.v1.DaemonSet", defaultDaemonSet],
  ["apps.v1.Deployment", defaultDeployment],
  ["apps.v1.ReplicaSet", defaultReplicaSet],
  ["apps.v1.StatefulSet", defaultStatefulSet],
  ["autoscaling.v1.HorizontalPodAutoscaler", defaultHorizontalPodAutoscalerV1],
  ["autoscaling.v2.HorizontalPodAutoscaler", defaultHorizontalPodAutoscaler],
  ["batch.v1.CronJob", defaultCronJob],
  ["batch.v1.Job", defaultJob],
  ["discovery.v1.EndpointSlice", defaultEndpointSlice],
  ["flowcontrol.v1.FlowSchema", defaultFlowSchema],
  ["flowcontrol.v1.PriorityLevelConfiguration", defaultPriorityLevel],
  ["networking.v1.IngressClass", defaultIngressClass],
  ["networking.v1.NetworkPolicy", defaultNetworkPolicy],
  ["rbac.v1.ClusterRoleBinding", defaultBinding],
  ["rbac.v1.RoleBinding", defaultBinding],
  ["resource.v1.ResourceClaim", defaultResourceClaim],
  ["resource.v1.ResourceClaimTemplate", defaultResourceClaimTemplate],
  ["scheduling.v1.PriorityClass", defaultPriorityClass],
  ["storage.v1.CSIDriver", defaultCSIDriver],
  ["storage.v1.StorageClass", defaultStorageClass],
  ["storage.v1.VolumeAttachment", defaultVolumeAttachment],
]);

/** Fills `object` in place; doing so twice changes nothing more. Kinds without defaults pass untouched. */
export function applyDefaults(typeId: string, object: KubeObject): void {
  // The decoder has already held the object to the type that its id names.
  table.get(typeId)?.(object as never);
}
