// What a request is warned of though it succeeds: deprecated kinds and fields, and settings that will not do what their
// author thinks (upstream: pkg/api/pod/warnings.go and the strategies' WarningsOnCreate).
import type { KubeObject } from "../object.ts";
import type { ResourceSchema } from "../schema/schema.ts";
import type { CronJob } from "../types/batch-v1.ts";
import type {
  PersistentVolume,
  PersistentVolumeClaim,
  PodTemplateSpec,
  Service,
} from "../types/core-v1.ts";
import type { ObjectMeta } from "../types/meta-v1.ts";
import type { CSIDriver } from "../types/storage-v1.ts";
import { dns1123Label } from "./names.ts";
import { podWarnings } from "./pod-warnings.ts";
import { semanticallyEqual } from "./semantic-equality.ts";
import { isWholeQuantity } from "../quantity.ts";

const deprecatedKinds: ReadonlyMap<string, string> = new Map([
  [
    "core.v1.Endpoints",
    "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
  ],
  ["core.v1.ComponentStatus", "v1 ComponentStatus is deprecated in v1.19+"],
]);
const knownFinalizers = ["kubernetes", "orphan", "foregroundDeletion"];
const recycleIsDeprecated =
  "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.";

/** Every request for a deprecated kind is warned, reads as well. */
export function deprecationWarning(resource: ResourceSchema): string | undefined {
  return deprecatedKinds.get(resource.type);
}

/** Texts of `Warning` headers for a write, in order. `old` is absent at create; what did not change is not repeated. */
export function warningsFor(
  resource: ResourceSchema,
  object: KubeObject,
  old?: Readonly<KubeObject>,
): string[] {
  const warnings: string[] = [];
  warnings.push(...metadataWarnings(object.metadata, old?.metadata));
  if (old === undefined) warnings.push(...nameWarnings(resource, object.metadata.name ?? ""));
  if (resource.type === "storage.v1.CSIDriver") warnings.push(...driverWarnings(object, old));
  if (old === undefined || !semanticallyEqual(object["spec"], old["spec"])) {
    warnings.push(...specWarnings(resource, object));
  }
  return warnings;
}

function metadataWarnings(meta: ObjectMeta, old: ObjectMeta | undefined): string[] {
  const warnings: string[] = [];
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const { uid } of meta.ownerReferences ?? []) {
    if (seen.has(uid)) repeated.add(uid);
    seen.add(uid);
  }
  if (repeated.size > 0) {
    warnings.push(
      `.metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: [${[...repeated].join(" ")}]`,
    );
  }
  for (const finalizer of meta.finalizers ?? []) {
    const isKnown = knownFinalizers.includes(finalizer) || finalizer.includes("/");
    if (isKnown || old?.finalizers?.includes(finalizer) === true) continue;
    warnings.push(
      `metadata.finalizers: ${JSON.stringify(finalizer)}: prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other finalizer writers`,
    );
  }
  return warnings;
}

const namesInPods: ReadonlySet<string> = new Set([
  "apps.v1.Deployment",
  "apps.v1.ReplicaSet",
  "apps.v1.StatefulSet",
  "batch.v1.Job",
  "core.v1.ReplicationController",
]);

function nameWarnings(resource: ResourceSchema, name: string): string[] {
  const isPod = resource.type === "core.v1.Pod";
  if (name === "" || (!isPod && !namesInPods.has(resource.type))) return [];
  const complaints = dns1123Label(name);
  if (complaints.length === 0) return [];
  const use = isPod ? "the Pod's hostname" : "Pod names and hostnames";
  return [
    `metadata.name: this is used in ${use}, which can result in surprising behavior; a DNS label is recommended: [${complaints.join(" ")}]`,
  ];
}

function specWarnings(resource: ResourceSchema, object: KubeObject): string[] {
  switch (resource.type) {
    case "core.v1.Pod":
      return podWarnings(object, "");
    case "core.v1.PodTemplate":
      return podWarnings(object["template"] ?? {}, "template.");
    case "batch.v1.CronJob":
      return cronJobWarnings(object);
    case "core.v1.Service":
      return serviceWarnings(object);
    case "core.v1.PersistentVolume":
      return volumeWarnings(object);
    case "core.v1.PersistentVolumeClaim":
      return claimWarnings(object);
    default:
      return templateWarnings(object);
  }
}

/** Tokens in the attributes of volumes end up in logs. */
function driverWarnings(driver: Partial<CSIDriver>, old?: Partial<CSIDriver>): string[] {
  const { tokenRequests = [], serviceAccountTokenInSecrets } = driver.spec ?? {};
  const isUnset = tokenRequests.length > 0 && serviceAccountTokenInSecrets === undefined;
  if (!isUnset || (old && semanticallyEqual(tokenRequests, old.spec?.tokenRequests))) return [];
  return [
    "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes",
  ];
}

/** Of any workload that has its pods' template where most have it. */
function templateWarnings(object: KubeObject): string[] {
  const { template } = (object["spec"] ?? {}) as { template?: PodTemplateSpec };
  if (typeof template !== "object" || template.spec?.containers === undefined) return [];
  return podWarnings(template, "spec.template.");
}

function cronJobWarnings(cronJob: CronJob): string[] {
  const template = cronJob.spec?.jobTemplate?.spec?.template;
  return template ? podWarnings(template, "spec.jobTemplate.spec.template.") : [];
}

function serviceWarnings(service: Service): string[] {
  const spec = service.spec ?? {};
  const warnings: string[] = [];
  const hasExternalIPs = (spec.externalIPs ?? []).length > 0;
  if (spec.type === "ExternalName") {
    if (hasExternalIPs) {
      warnings.push('spec.externalIPs is ignored when spec.type is "ExternalName"');
    }
  } else if (spec.clusterIP === "None") {
    const ignored = "is ignored for headless services";
    if ((spec.loadBalancerIP ?? "") !== "") warnings.push(`spec.loadBalancerIP ${ignored}`);
    if (hasExternalIPs) warnings.push(`spec.externalIPs ${ignored}`);
    if (spec.sessionAffinity === "ClientIP") warnings.push(`spec.SessionAffinity ${ignored}`);
  }
  return warnings;
}

function volumeWarnings(volume: PersistentVolume): string[] {
  return volume.spec?.persistentVolumeReclaimPolicy === "Recycle" ? [recycleIsDeprecated] : [];
}

function claimWarnings(claim: PersistentVolumeClaim): string[] {
  const warnings: string[] = [];
  for (const key of ["requests", "limits"] as const) {
    const quantity = claim.spec?.resources?.[key]?.["storage"];
    if (quantity === undefined || isWholeQuantity(quantity)) continue;
    warnings.push(
      `spec.resources.${key}[storage]: fractional byte value ${JSON.stringify(quantity)} is invalid, must be an integer`,
    );
  }
  return warnings;
}
