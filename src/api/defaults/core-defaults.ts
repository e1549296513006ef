// Defaults of the core group's small kinds; pods and services have files of their own (upstream:
// pkg/apis/core/v1/defaults.go).
import type {
  Endpoints,
  LimitRange,
  LimitRangeItem,
  Namespace,
  Node,
  NodeSpec,
  PersistentVolume,
  PersistentVolumeClaim,
  PodTemplate,
  ReplicationController,
} from "../types/core-v1.ts";
import { defaultPodTemplate } from "./pod-defaults.ts";
import { defaultClaimSpec, defaultPersistentVolumeSource } from "./volume-defaults.ts";

const nameLabel = "kubernetes.io/metadata.name";

/** The name label can be set only once there is a name: call again after generateName. */
export function defaultNamespace(namespace: Namespace): void {
  const { name } = namespace.metadata;
  if (name !== undefined && name !== "") (namespace.metadata.labels ??= {})[nameLabel] = name;
  (namespace.status ??= {}).phase ||= "Active";
}

export function defaultNode(node: Node): void {
  const { status, spec } = node;
  if (spec) pairPodCIDRs(spec);
  if (status?.capacity) status.allocatable ??= { ...status.capacity };
}

/** The one block of old clients and the first of the list are the same; who says two says the old one. */
function pairPodCIDRs(spec: NodeSpec): void {
  const { podCIDR = "", podCIDRs = [] } = spec;
  if (podCIDR === "" && podCIDRs.length > 0) spec.podCIDR = podCIDRs[0]!;
  if (podCIDR !== "" && podCIDR !== podCIDRs[0]) spec.podCIDRs = [podCIDR];
}

export function defaultPersistentVolume(volume: PersistentVolume): void {
  const spec = (volume.spec ??= {});
  spec.persistentVolumeReclaimPolicy ||= "Retain";
  spec.volumeMode ??= "Filesystem";
  defaultPersistentVolumeSource(spec);
  (volume.status ??= {}).phase ||= "Pending";
}

export function defaultPersistentVolumeClaim(claim: PersistentVolumeClaim): void {
  defaultClaimSpec((claim.spec ??= {}));
  (claim.status ??= {}).phase ||= "Pending";
}

export function defaultEndpoints(endpoints: Endpoints): void {
  for (const subset of endpoints.subsets ?? []) {
    for (const port of subset.ports ?? []) port.protocol ||= "TCP";
  }
}

export function defaultPodTemplateObject(podTemplate: PodTemplate): void {
  defaultPodTemplate((podTemplate.template ??= { metadata: {} }));
}

export function defaultReplicationController(controller: ReplicationController): void {
  const spec = (controller.spec ??= {});
  spec.replicas ??= 1;
  if (!spec.template) return;
  defaultPodTemplate(spec.template);
  const labels = spec.template.metadata?.labels;
  if (!labels) return;
  if (Object.keys(spec.selector ?? {}).length === 0) spec.selector = { ...labels };
  const own = controller.metadata.labels;
  if (Object.keys(own ?? {}).length === 0) controller.metadata.labels = { ...labels };
}

export function defaultLimitRange(limitRange: LimitRange): void {
  for (const item of limitRange.spec?.limits ?? []) {
    if (item.type === "Container") defaultContainerLimits(item);
  }
}

/** A limit falls back to the maximum; a request to the limit, then to the minimum. */
function defaultContainerLimits(item: LimitRangeItem): void {
  const limits = { ...item.max, ...item.default };
  const requests = { ...item.min, ...limits, ...item.defaultRequest };
  if (Object.keys(limits).length > 0) item.default = limits;
  if (Object.keys(requests).length > 0) item.defaultRequest = requests;
}
