// What one object uses of each thing that a quota may limit (upstream: pkg/quota/v1/evaluator/core).
import { type Quantity, parseQuantity } from "../../api/quantity.ts";
import type { PersistentVolumeClaim, Pod, Service } from "../../api/types/core-v1.ts";
import { isFinished } from "../pods/pod-state.ts";
import { msOf } from "../pods/timestamp.ts";
import { podAmounts } from "./pod-resources.ts";

export type Usage = ReadonlyMap<string, Quantity>;

const one = parseQuantity("1");
const classSuffix = ".storageclass.storage.k8s.io/";

/** Without count/pods, for which every pod counts that exists. */
export function podUsage(pod: Pod, now: number): Usage {
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

export function serviceUsage({ spec }: Service): Usage {
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

export function claimUsage({ spec, metadata }: PersistentVolumeClaim): Usage {
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

export function isClaimResource(name: string): boolean {
  return (
    name === "persistentvolumeclaims" || name === "requests.storage" || name.includes(classSuffix)
  );
}

export function isServiceResource(name: string): boolean {
  return name === "services" || name === "services.nodeports" || name === "services.loadbalancers";
}

/** Resources of pods that quotas also know without `requests.`. */
function isNative(name: string): boolean {
  return ["cpu", "memory", "ephemeral-storage"].includes(name) || name.startsWith("hugepages-");
}

export function isPodResource(name: string): boolean {
  return (
    name === "pods" || isNative(name) || name.startsWith("requests.") || name.startsWith("limits.")
  );
}

/** Its grace is over and it is only waiting for a kubelet that may never come. */
function isOverdue({ metadata }: Pod, now: number): boolean {
  const since = msOf(metadata.deletionTimestamp);
  const graceMs = (metadata.deletionGracePeriodSeconds ?? 0) * 1_000;
  return since !== undefined && now > since + graceMs;
}
