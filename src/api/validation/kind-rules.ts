// Which functions judge which kind: its name, itself, a change of it, and its subresources. The table knows kinds by the
// id of their type; running the functions is validation.ts's matter.
import type { FieldError } from "../meta/field-error.ts";
import {
  validateMutatingPolicy,
  validateMutatingPolicyBinding,
  validateMutatingWebhooks,
  validateValidatingPolicy,
  validateValidatingPolicyBinding,
  validateValidatingWebhooks,
} from "./admission-validation.ts";
import {
  validateControllerRevision,
  validateControllerRevisionUpdate,
  validateDaemonSet,
  validateDaemonSetUpdate,
  validateDeployment,
  validateDeploymentUpdate,
  validateReplicaSet,
  validateReplicaSetUpdate,
  validateStatefulSet,
  validateStatefulSetUpdate,
} from "./apps-validation.ts";
import { validateCronJob, validateCronJobCreate } from "./cron-job-validation.ts";
import { validateJob, validateJobUpdate } from "./job-validation.ts";
import {
  validateHorizontalPodAutoscaler,
  validateHorizontalPodAutoscalerUpdate,
  validateHorizontalPodAutoscalerV1,
  validateHorizontalPodAutoscalerV1Update,
} from "./autoscaling-validation.ts";
import { validatePodDisruptionBudget } from "./budget-validation.ts";
import {
  validateClaimCreate,
  validateClaimUpdate,
  validateVolumeCreate,
  validateVolumeUpdate,
} from "./claim-validation.ts";
import {
  validateBinding,
  validateConfigMap,
  validateConfigMapUpdate,
  validateEndpoints,
  validateNamespace,
  validateNamespaceFinalize,
  validateNamespaceStatusUpdate,
  validateNode,
  validateNodeUpdate,
  validatePodTemplateObject,
  validateReplicationController,
  validateSecret,
  validateSecretUpdate,
} from "./core-validation.ts";
import {
  validateDeviceClass,
  validateResourceClaim,
  validateResourceClaimTemplate,
  validateResourceClaimTemplateUpdate,
  validateResourceClaimUpdate,
} from "./device-validation.ts";
import {
  validateCoreEvent,
  validateCoreEventUpdate,
  validateEvent,
  validateEventUpdate,
  validateLease,
  validateSigningRequest,
} from "./event-validation.ts";
import {
  apiServiceName,
  customResourceDefinitionName,
  validateAPIService,
  validateAPIServiceUpdate,
  validateCustomResourceDefinition,
  validateCustomResourceDefinitionUpdate,
} from "./extension-validation.ts";
import { validateFlowSchema, validatePriorityLevel } from "./flowcontrol-validation.ts";
import {
  validateIngress,
  validateIngressClass,
  validateIngressClassUpdate,
  validateIngressCreate,
} from "./ingress-validation.ts";
import { canonicalIP } from "./ip-rules.ts";
import { type Complaints, nameIsLabel, nameIsLongName, nameIsPathSegment } from "./names.ts";
import {
  validateEndpointSlice,
  validateEndpointSliceUpdate,
  validateIPAddress,
  validateIPAddressUpdate,
  validateNetworkPolicy,
  validateServiceCIDR,
  validateServiceCIDRUpdate,
} from "./networking-validation.ts";
import {
  validateEphemeralContainersUpdate,
  validatePodResize,
  validatePodStatusUpdate,
  validatePodUpdate,
} from "./pod-update-validation.ts";
import { validatePodCreate } from "./pod-validation.ts";
import {
  validateLimitRange,
  validateResourceQuota,
  validateResourceQuotaStatus,
  validateResourceQuotaUpdate,
} from "./quota-validation.ts";
import {
  validateClusterRole,
  validateClusterRoleBinding,
  validateClusterRoleBindingUpdate,
  validateRole,
  validateRoleBinding,
  validateRoleBindingUpdate,
} from "./rbac-validation.ts";
import { validateResourceSlice, validateResourceSliceUpdate } from "./resource-slice-validation.ts";
import { validateService, validateServiceUpdate } from "./service-validation.ts";
import {
  validateCSIDriver,
  validateCSIDriverUpdate,
  validateCSINode,
  validateCSIStorageCapacity,
  validateCSIStorageCapacityUpdate,
  validatePriorityClass,
  validatePriorityClassUpdate,
  validateRuntimeClass,
  validateRuntimeClassUpdate,
  validateStorageClass,
  validateStorageClassUpdate,
  validateVolumeAttachment,
  validateVolumeAttachmentUpdate,
  validateVolumeAttributesClass,
  validateVolumeAttributesClassUpdate,
} from "./storage-validation.ts";

/** The object is of the type whose id the table was asked for. */
export type Check = (object: never, errors: FieldError[]) => void;
export type UpdateCheck = (object: never, old: never, errors: FieldError[]) => void;

export interface KindRules {
  /** Absent: a DNS subdomain. */
  readonly name?: (name: string, prefix: boolean) => Complaints;
  /** For kinds whose name repeats what the object says. */
  readonly nameOf?: (object: never, name: string) => Complaints;
  readonly create?: Check;
  /** Absent: an update is judged as a create. */
  readonly update?: UpdateCheck;
  /** A subresource that is not listed changes nothing that needs judging but metadata. */
  readonly subresources?: Readonly<Record<string, UpdateCheck>>;
}

function newOnly(check: Check): UpdateCheck {
  return (object, _, errors) => check(object, errors);
}

function canonicalAddress(name: string, prefix: boolean): Complaints {
  if (prefix) return [];
  const canonical = canonicalIP(name);
  if (canonical === undefined)
    return ["must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"];
  return canonical === name ? [] : [`must be in canonical form (${JSON.stringify(canonical)})`];
}

const core: Readonly<Record<string, KindRules>> = {
  Binding: { create: validateBinding },
  ConfigMap: { create: validateConfigMap, update: validateConfigMapUpdate },
  Endpoints: { create: validateEndpoints },
  Event: {
    name: nameIsPathSegment,
    create: validateCoreEvent,
    update: validateCoreEventUpdate,
  },
  LimitRange: { create: validateLimitRange },
  Namespace: {
    name: nameIsLabel,
    create: validateNamespace,
    subresources: {
      status: newOnly(validateNamespaceStatusUpdate),
      finalize: newOnly(validateNamespaceFinalize),
    },
  },
  Node: {
    create: validateNode,
    update: validateNodeUpdate,
    subresources: { status: validateNodeUpdate },
  },
  PersistentVolume: { create: validateVolumeCreate, update: validateVolumeUpdate },
  PersistentVolumeClaim: { create: validateClaimCreate, update: validateClaimUpdate },
  Pod: {
    create: validatePodCreate,
    update: validatePodUpdate,
    subresources: {
      status: validatePodStatusUpdate,
      ephemeralcontainers: validateEphemeralContainersUpdate,
      resize: validatePodResize,
    },
  },
  PodTemplate: { create: validatePodTemplateObject },
  ReplicationController: { name: nameIsLongName, create: validateReplicationController },
  ResourceQuota: {
    create: validateResourceQuota,
    update: validateResourceQuotaUpdate,
    subresources: { status: newOnly(validateResourceQuotaStatus) },
  },
  Secret: { create: validateSecret, update: validateSecretUpdate },
  Service: { name: nameIsLabel, create: validateService, update: validateServiceUpdate },
};

const apps: Readonly<Record<string, KindRules>> = {
  ControllerRevision: {
    create: validateControllerRevision,
    update: validateControllerRevisionUpdate,
  },
  DaemonSet: { create: validateDaemonSet, update: validateDaemonSetUpdate },
  Deployment: { create: validateDeployment, update: validateDeploymentUpdate },
  ReplicaSet: { create: validateReplicaSet, update: validateReplicaSetUpdate },
  StatefulSet: {
    name: nameIsLabel,
    create: validateStatefulSet,
    update: validateStatefulSetUpdate,
  },
};

const admissionregistration: Readonly<Record<string, KindRules>> = {
  MutatingAdmissionPolicy: { create: validateMutatingPolicy },
  MutatingAdmissionPolicyBinding: { create: validateMutatingPolicyBinding },
  MutatingWebhookConfiguration: { create: validateMutatingWebhooks },
  ValidatingAdmissionPolicy: { create: validateValidatingPolicy },
  ValidatingAdmissionPolicyBinding: { create: validateValidatingPolicyBinding },
  ValidatingWebhookConfiguration: { create: validateValidatingWebhooks },
};

const networking: Readonly<Record<string, KindRules>> = {
  IPAddress: {
    name: canonicalAddress,
    create: validateIPAddress,
    update: validateIPAddressUpdate,
  },
  Ingress: { create: validateIngressCreate, update: newOnly(validateIngress) },
  IngressClass: { create: validateIngressClass, update: validateIngressClassUpdate },
  NetworkPolicy: { create: validateNetworkPolicy },
  ServiceCIDR: { create: validateServiceCIDR, update: validateServiceCIDRUpdate },
};

const rbac: Readonly<Record<string, KindRules>> = {
  ClusterRole: { name: nameIsPathSegment, create: validateClusterRole },
  ClusterRoleBinding: {
    name: nameIsPathSegment,
    create: validateClusterRoleBinding,
    update: validateClusterRoleBindingUpdate,
  },
  Role: { name: nameIsPathSegment, create: validateRole },
  RoleBinding: {
    name: nameIsPathSegment,
    create: validateRoleBinding,
    update: validateRoleBindingUpdate,
  },
};

const resource: Readonly<Record<string, KindRules>> = {
  DeviceClass: { create: validateDeviceClass },
  ResourceClaim: { create: validateResourceClaim, update: validateResourceClaimUpdate },
  ResourceClaimTemplate: {
    create: validateResourceClaimTemplate,
    update: validateResourceClaimTemplateUpdate,
  },
  ResourceSlice: { create: validateResourceSlice, update: validateResourceSliceUpdate },
};

const storage: Readonly<Record<string, KindRules>> = {
  CSIDriver: { create: validateCSIDriver, update: validateCSIDriverUpdate },
  CSINode: { create: validateCSINode },
  CSIStorageCapacity: {
    create: validateCSIStorageCapacity,
    update: validateCSIStorageCapacityUpdate,
  },
  StorageClass: { create: validateStorageClass, update: validateStorageClassUpdate },
  VolumeAttachment: { create: validateVolumeAttachment, update: validateVolumeAttachmentUpdate },
  VolumeAttributesClass: {
    create: validateVolumeAttributesClass,
    update: validateVolumeAttributesClassUpdate,
  },
};

/** By package and version, as type ids begin. */
const packages: Readonly<Record<string, Readonly<Record<string, KindRules>>>> = {
  "core.v1": core,
  "apps.v1": apps,
  "admissionregistration.v1": admissionregistration,
  "apiextensions.v1": {
    CustomResourceDefinition: {
      nameOf: customResourceDefinitionName,
      create: validateCustomResourceDefinition,
      update: validateCustomResourceDefinitionUpdate,
    },
  },
  "apiregistration.v1": {
    APIService: {
      nameOf: apiServiceName,
      create: validateAPIService,
      update: validateAPIServiceUpdate,
    },
  },
  "autoscaling.v1": {
    HorizontalPodAutoscaler: {
      create: validateHorizontalPodAutoscalerV1,
      update: validateHorizontalPodAutoscalerV1Update,
    },
  },
  "autoscaling.v2": {
    HorizontalPodAutoscaler: {
      create: validateHorizontalPodAutoscaler,
      update: validateHorizontalPodAutoscalerUpdate,
    },
  },
  "batch.v1": {
    CronJob: { create: validateCronJobCreate, update: newOnly(validateCronJob) },
    Job: { create: validateJob, update: validateJobUpdate },
  },
  "certificates.v1": {
    CertificateSigningRequest: { name: nameIsPathSegment, create: validateSigningRequest },
  },
  "coordination.v1": { Lease: { create: validateLease } },
  "discovery.v1": {
    EndpointSlice: { create: validateEndpointSlice, update: validateEndpointSliceUpdate },
  },
  "events.v1": { Event: { create: validateEvent, update: validateEventUpdate } },
  "flowcontrol.v1": {
    FlowSchema: { create: validateFlowSchema },
    PriorityLevelConfiguration: { create: validatePriorityLevel },
  },
  "networking.v1": networking,
  "node.v1": {
    RuntimeClass: { create: validateRuntimeClass, update: validateRuntimeClassUpdate },
  },
  // Upstream judges no more of a budget's name than that it fits into a path.
  "policy.v1": {
    PodDisruptionBudget: { name: nameIsPathSegment, create: validatePodDisruptionBudget },
  },
  "rbac.v1": rbac,
  "resource.v1": resource,
  "scheduling.v1": {
    PriorityClass: { create: validatePriorityClass, update: validatePriorityClassUpdate },
  },
  "storage.v1": storage,
};

const table: ReadonlyMap<string, KindRules> = new Map(
  Object.entries(packages).flatMap(([prefix, kinds]) =>
    Object.entries(kinds).map(([kind, rules]): [string, KindRules] => [`${prefix}.${kind}`, rules]),
  ),
);
const none: KindRules = {};

/** Whose metadata upstream judges by the rules of all objects alone: their finalizers need no domain. */
const plainMetadata =
  /^(?:admissionregistration|apiextensions|apiregistration|coordination|node|policy)\.|^core\.v1\.Event$/;

export function takesAnyFinalizer(typeId: string): boolean {
  return plainMetadata.test(typeId);
}

/** Kinds without rules of their own are held to metadata alone. */
export function rulesOf(typeId: string): KindRules {
  return table.get(typeId) ?? none;
}
