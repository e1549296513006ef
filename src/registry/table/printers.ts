// Which kind is printed how. Kinds that are not named here get the default columns, as upstream has it for Role,
// ClusterRole, LimitRange, CustomResourceDefinition, Binding and the reviews.
import {
  admissionPolicyBindingPrinter,
  mutatingAdmissionPolicyPrinter,
  validatingAdmissionPolicyPrinter,
} from "../admissionregistration/admission-policy/columns.ts";
import { webhookConfigurationPrinter } from "../admissionregistration/webhook-configuration/columns.ts";
import { apiServicePrinter } from "../apiregistration/api-service/columns.ts";
import { controllerRevisionPrinter } from "../apps/controller-revision/columns.ts";
import { daemonSetPrinter } from "../apps/daemon-set/columns.ts";
import { deploymentPrinter } from "../apps/deployment/columns.ts";
import { replicaSetPrinter } from "../apps/replica-set/columns.ts";
import { statefulSetPrinter } from "../apps/stateful-set/columns.ts";
import {
  horizontalPodAutoscalerPrinter,
  horizontalPodAutoscalerV1Printer,
} from "../autoscaling/horizontal-pod-autoscaler/columns.ts";
import { scalePrinter } from "../autoscaling/scale/columns.ts";
import { cronJobPrinter } from "../batch/cron-job/columns.ts";
import { jobPrinter } from "../batch/job/columns.ts";
import { certificateSigningRequestPrinter } from "../certificates/certificate-signing-request/columns.ts";
import { leasePrinter } from "../coordination/lease/columns.ts";
import { componentStatusPrinter } from "../core/component-status/columns.ts";
import { configMapPrinter } from "../core/config-map/columns.ts";
import { endpointsPrinter } from "../core/endpoints/columns.ts";
import { eventPrinter, eventsEventPrinter } from "../core/event/columns.ts";
import { namespacePrinter } from "../core/namespace/columns.ts";
import { nodePrinter } from "../core/node/columns.ts";
import { persistentVolumeClaimPrinter } from "../core/persistent-volume-claim/columns.ts";
import { persistentVolumePrinter } from "../core/persistent-volume/columns.ts";
import { podTemplatePrinter } from "../core/pod-template/columns.ts";
import { podPrinter } from "../core/pod/columns.ts";
import { replicationControllerPrinter } from "../core/replication-controller/columns.ts";
import { resourceQuotaPrinter } from "../core/resource-quota/columns.ts";
import { secretPrinter } from "../core/secret/columns.ts";
import { serviceAccountPrinter } from "../core/service-account/columns.ts";
import { servicePrinter } from "../core/service/columns.ts";
import { endpointSlicePrinter } from "../discovery/endpoint-slice/columns.ts";
import { flowSchemaPrinter } from "../flowcontrol/flow-schema/columns.ts";
import { priorityLevelConfigurationPrinter } from "../flowcontrol/priority-level-configuration/columns.ts";
import { ingressClassPrinter } from "../networking/ingress-class/columns.ts";
import { ingressPrinter } from "../networking/ingress/columns.ts";
import { ipAddressPrinter } from "../networking/ip-address/columns.ts";
import { networkPolicyPrinter } from "../networking/network-policy/columns.ts";
import { serviceCidrPrinter } from "../networking/service-cidr/columns.ts";
import { runtimeClassPrinter } from "../node/runtime-class/columns.ts";
import { podDisruptionBudgetPrinter } from "../policy/pod-disruption-budget/columns.ts";
import { deviceClassPrinter } from "../resource/device-class/columns.ts";
import { resourceClaimPrinter } from "../resource/resource-claim/columns.ts";
import { resourceSlicePrinter } from "../resource/resource-slice/columns.ts";
import { priorityClassPrinter } from "../scheduling/priority-class/columns.ts";
import { csiDriverPrinter } from "../storage/csi-driver/columns.ts";
import { csiNodePrinter } from "../storage/csi-node/columns.ts";
import { csiStorageCapacityPrinter } from "../storage/csi-storage-capacity/columns.ts";
import { storageClassPrinter } from "../storage/storage-class/columns.ts";
import { volumeAttachmentPrinter } from "../storage/volume-attachment/columns.ts";
import { volumeAttributesClassPrinter } from "../storage/volume-attributes-class/columns.ts";
import type { Printer } from "./column.ts";
import { defaultPrinter } from "./default-columns.ts";
import { roleBindingPrinter } from "./role-binding-columns.ts";
import { statusPrinter } from "./status-columns.ts";

const printers: Readonly<Record<string, Printer>> = {
  "admissionregistration.v1.MutatingAdmissionPolicy": mutatingAdmissionPolicyPrinter,
  "admissionregistration.v1.MutatingAdmissionPolicyBinding": admissionPolicyBindingPrinter,
  "admissionregistration.v1.MutatingWebhookConfiguration": webhookConfigurationPrinter,
  "admissionregistration.v1.ValidatingAdmissionPolicy": validatingAdmissionPolicyPrinter,
  "admissionregistration.v1.ValidatingAdmissionPolicyBinding": admissionPolicyBindingPrinter,
  "admissionregistration.v1.ValidatingWebhookConfiguration": webhookConfigurationPrinter,
  "apiregistration.v1.APIService": apiServicePrinter,
  "apps.v1.ControllerRevision": controllerRevisionPrinter,
  "apps.v1.DaemonSet": daemonSetPrinter,
  "apps.v1.Deployment": deploymentPrinter,
  "apps.v1.ReplicaSet": replicaSetPrinter,
  "apps.v1.StatefulSet": statefulSetPrinter,
  "autoscaling.v1.HorizontalPodAutoscaler": horizontalPodAutoscalerV1Printer,
  "autoscaling.v1.Scale": scalePrinter,
  "autoscaling.v2.HorizontalPodAutoscaler": horizontalPodAutoscalerPrinter,
  "batch.v1.CronJob": cronJobPrinter,
  "batch.v1.Job": jobPrinter,
  "certificates.v1.CertificateSigningRequest": certificateSigningRequestPrinter,
  "coordination.v1.Lease": leasePrinter,
  "core.v1.ComponentStatus": componentStatusPrinter,
  "core.v1.ConfigMap": configMapPrinter,
  "core.v1.Endpoints": endpointsPrinter,
  "core.v1.Event": eventPrinter,
  "core.v1.Namespace": namespacePrinter,
  "core.v1.Node": nodePrinter,
  "core.v1.PersistentVolume": persistentVolumePrinter,
  "core.v1.PersistentVolumeClaim": persistentVolumeClaimPrinter,
  "core.v1.Pod": podPrinter,
  "core.v1.PodTemplate": podTemplatePrinter,
  "core.v1.ReplicationController": replicationControllerPrinter,
  "core.v1.ResourceQuota": resourceQuotaPrinter,
  "core.v1.Secret": secretPrinter,
  "core.v1.Service": servicePrinter,
  "core.v1.ServiceAccount": serviceAccountPrinter,
  "discovery.v1.EndpointSlice": endpointSlicePrinter,
  "events.v1.Event": eventsEventPrinter,
  "flowcontrol.v1.FlowSchema": flowSchemaPrinter,
  "flowcontrol.v1.PriorityLevelConfiguration": priorityLevelConfigurationPrinter,
  "meta.v1.Status": statusPrinter,
  "networking.v1.IPAddress": ipAddressPrinter,
  "networking.v1.Ingress": ingressPrinter,
  "networking.v1.IngressClass": ingressClassPrinter,
  "networking.v1.NetworkPolicy": networkPolicyPrinter,
  "networking.v1.ServiceCIDR": serviceCidrPrinter,
  "node.v1.RuntimeClass": runtimeClassPrinter,
  "policy.v1.PodDisruptionBudget": podDisruptionBudgetPrinter,
  "rbac.v1.ClusterRoleBinding": roleBindingPrinter,
  "rbac.v1.RoleBinding": roleBindingPrinter,
  "resource.v1.DeviceClass": deviceClassPrinter,
  "resource.v1.ResourceClaim": resourceClaimPrinter,
  "resource.v1.ResourceClaimTemplate": deviceClassPrinter,
  "resource.v1.ResourceSlice": resourceSlicePrinter,
  "scheduling.v1.PriorityClass": priorityClassPrinter,
  "storage.v1.CSIDriver": csiDriverPrinter,
  "storage.v1.CSINode": csiNodePrinter,
  "storage.v1.CSIStorageCapacity": csiStorageCapacityPrinter,
  "storage.v1.StorageClass": storageClassPrinter,
  "storage.v1.VolumeAttachment": volumeAttachmentPrinter,
  "storage.v1.VolumeAttributesClass": volumeAttributesClassPrinter,
};

/** Old versions of flow control's objects look like v1. */
const oldFlowControl = /^flowcontrol\.v1beta\d\./;

/** The printer of a message type, e.g. `apps.v1.Deployment`. */
export function printerOf(typeId: string): Printer {
  return printers[typeId.replace(oldFlowControl, "flowcontrol.v1.")] ?? defaultPrinter;
}
