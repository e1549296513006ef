// What one object uses of each thing that a quota may limit (upstream: pkg/quota/v1/evaluator/core).
import { type Quantity, parseQuantity } from "../quantity.ts";
import type { PersistentVolumeClaim, Pod, Service } from "../types/core-v1.ts";
import { type GroupResource, qualified } from "../meta/errors.ts";
import type { KubeObject } from "../object.ts";
import { schema } from "../schema/schema.ts";
import { podAmounts } from "./pod-limits.ts";

export type Usage = ReadonlyMap<string, Quantity>;

const one = parseQuantity("1");
const classSuffix = ".storageclass.storage.k8s.io/";

/** Counted by their own names, too. */
const legacyCounts = ["configmaps", "replicationcontrollers", "resourcequotas", "secrets"];
const countPrefix = "count/";
const countable: ReadonlySet<string> = new Set(
  schema.resources.filter(({ namespaced }) => namespaced).map(labelOf),
);

/** As quotas and clients name a resource: `pods`, `jobs.batch`. */
function labelOf({ group, resource }: GroupResource): string {
  return qualified(group, resource);
}

/** The objects, as `pods` or `jobs.batch`, that use what a quota names so; undefined for what nobody knows how to count. */
export function resourceLimitedBy(name: string): string | undefined {
  if (name.startsWith(countPrefix)) {
    const resource = name.slice(countPrefix.length);
    return countable.has(resource) ? resource : undefined;
  }
  if (legacyCounts.includes(name)) return name;
  if (isServiceResource(name)) return "services";
  // Before pods: requests.storage looks like theirs.
  if (isClaimResource(name)) return "persistentvolumeclaims";
  return isPodResource(name) ? "pods" : undefined;
}

/** What one object of `resource` uses of everything that a quota may name. */
export function usageOf(resource: string, object: KubeObject, now: number): Usage {
  return new Map([
    [`${countPrefix}${resource}`, one],
    ...(legacyCounts.includes(resource) ? [[resource, one] as const] : []),
    ...ownUsage(resource, object, now),
  ]);
}

function ownUsage(resource: string, object: KubeObject, now: number): Usage {
  if (resource === "pods") return podUsage(object, now);
  if (resource === "services") return serviceUsage(object);
  if (resource === "persistentvolumeclaims") return claimUsage(object);
  return new Map();
}

/** Without count/pods, for which every pod counts that exists. */
function podUsage(pod: Pod, now: number): Usage {
  const used = new Map<string, Quantity>();
  if (isFinished(pod) || isOverdue(pod, now)) return used;
  used.set("pods", one);
  const spec = pod.spec ?? { containers: [] };
  for (const [name, amount] of podAmounts(spec, "requests")) {
    used.set(`requests.${name}`, amount);
    if (isNative(name)) used.set(name, amount);
  }
  for (const [name, amount] of podAmounts(spec, "limits")) used.set(`limits.${name}`, amount);
  return used;
}

function serviceUsage({ spec }: Service): Usage {
  const used = new Map([["services", one]]);
  const ports = spec?.ports ?? [];
  const nodePorts =
    spec?.type === "LoadBalancer" && spec.allocateLoadBalancerNodePorts === false
      ? ports.filter(({ nodePort = 0 }) => nodePort !== 0)
      : ports;
  if (spec?.type === "LoadBalancer") used.set("services.loadbalancers", one);
  if (spec?.type === "LoadBalancer" || spec?.type === "NodePort")
    used.set("services.nodeports", parseQuantity(String(nodePorts.length)));
  return used;
}

function claimUsage({ spec, metadata }: PersistentVolumeClaim): Usage {
  const used = new Map([["persistentvolumeclaims", one]]);
  const text = spec?.resources?.requests?.["storage"];
  const size = text === undefined ? undefined : parseQuantity(text);
  const legacyClass = metadata.annotations?.["volume.beta.kubernetes.io/storage-class"];
  const storageClass = legacyClass ?? spec?.storageClassName ?? "";
  if (size !== undefined) used.set("requests.storage", size);
  if (storageClass === "") return used;
  used.set(`${storageClass}${classSuffix}persistentvolumeclaims`, one);
  if (size !== undefined) used.set(`${storageClass}${classSuffix}requests.storage`, size);
  return used;
}

function isClaimResource(name: string): boolean {
  return (
    name === "persistentvolumeclaims" || name === "requests.storage" || name.includes(classSuffix)
  );
}

function isServiceResource(name: string): boolean {
  return name === "services" || name === "services.nodeports" || name === "services.loadbalancers";
}

/** Resources of pods that quotas also know without `requests.`. */
function isNative(name: string): boolean {
  return ["cpu", "memory", "ephemeral-storage"].includes(name) || name.startsWith("hugepages-");
}

function isPodResource(name: string): boolean {
  return (
    name === "pods" || isNative(name) || name.startsWith("requests.") || name.startsWith("limits.")
  );
}

/** Its grace is over and it is only waiting for a kubelet that may never come. */
function isOverdue({ metadata }: Pod, now: number): boolean {
  const since: unknown = metadata.deletionTimestamp;
  const graceMs = (metadata.deletionGracePeriodSeconds ?? 0) * 1_000;
  return typeof since === "string" && now > Date.parse(since) + graceMs;
}

function isFinished({ status }: Pod): boolean {
  return status?.phase === "Succeeded" || status?.phase === "Failed";
}
