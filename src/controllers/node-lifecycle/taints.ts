// Which taints a node should have for how it is. Pure.
import type { Node, Taint } from "../../api/types/core-v1.ts";

export const notReadyKey = "node.kubernetes.io/not-ready";
export const unreachableKey = "node.kubernetes.io/unreachable";
const unschedulableKey = "node.kubernetes.io/unschedulable";

/** `type=status` of a condition -> the key of the taint that keeps new pods away. */
const conditionTaints: ReadonlyMap<string, string> = new Map([
  ["Ready=False", notReadyKey],
  ["Ready=Unknown", unreachableKey],
  ["MemoryPressure=True", "node.kubernetes.io/memory-pressure"],
  ["DiskPressure=True", "node.kubernetes.io/disk-pressure"],
  ["NetworkUnavailable=True", "node.kubernetes.io/network-unavailable"],
  ["PIDPressure=True", "node.kubernetes.io/pid-pressure"],
]);

const managedKeys = new Set([unschedulableKey, ...conditionTaints.values()]);

export type Readiness = "True" | "False" | "Unknown";

/** Undefined: it never said. */
export function readinessOf({ status }: Node): Readiness | undefined {
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  return ready?.status as Readiness | undefined;
}

/** The node's taints with the NoSchedule ones set right; undefined when they are. `now`: RFC 3339. */
export function withNoSchedule(node: Node, now: string): Taint[] | undefined {
  const wanted = new Set<string>();
  for (const { type, status } of node.status?.conditions ?? []) {
    const key = conditionTaints.get(`${type}=${status}`);
    if (key !== undefined) wanted.add(key);
  }
  if (node.spec?.unschedulable === true) wanted.add(unschedulableKey);
  return adjusted(node, { effect: "NoSchedule", keys: managedKeys, wanted, now });
}

/** Likewise for the NoExecute ones: the two are never there together. */
export function withNoExecute(
  node: Node,
  key: string | undefined,
  now: string,
): Taint[] | undefined {
  const keys = new Set([notReadyKey, unreachableKey]);
  const wanted = new Set(key === undefined ? [] : [key]);
  return adjusted(node, { effect: "NoExecute", keys, wanted, now });
}

export function noExecuteKeyOf(readiness: Readiness | undefined): string | undefined {
  if (readiness === "False") return notReadyKey;
  return readiness === "Unknown" ? unreachableKey : undefined;
}

function adjusted(
  { spec }: Node,
  rule: {
    readonly effect: string;
    readonly keys: ReadonlySet<string>;
    readonly wanted: ReadonlySet<string>;
    readonly now: string;
  },
): Taint[] | undefined {
  const { effect, keys, wanted, now } = rule;
  const taints = spec?.taints ?? [];
  const kept = taints.filter(
    (taint) => taint.effect !== effect || !keys.has(taint.key) || wanted.has(taint.key),
  );
  const have = new Set(kept.filter((taint) => taint.effect === effect).map(({ key }) => key));
  const added = [...wanted]
    .filter((key) => !have.has(key))
    .map((key): Taint => ({ key, effect, timeAdded: now }));
  if (added.length === 0 && kept.length === taints.length) return undefined;
  return [...kept, ...added];
}
