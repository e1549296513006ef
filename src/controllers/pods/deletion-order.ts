// Which of too many pods go first: those that do the least good (upstream: ActivePodsWithRanks in
// pkg/controller/controller_utils.go).
import type { Pod } from "../../api/types/core-v1.ts";
import type { Served } from "../../client/served-object.ts";
import { isActive, isReady, readySinceMs } from "./pod-state.ts";
import { msOf } from "./timestamp.ts";

const deletionCost = "controller.kubernetes.io/pod-deletion-cost";
const phaseRank: ReadonlyMap<string, number> = new Map([
  ["Pending", 0],
  ["Unknown", 1],
  ["Running", 2],
]);

/** `pods` with the first to go at the front. `related`: all pods of the same purpose, which should not crowd on a node. */
export function deletionOrder<P extends Readonly<Served<Pod>>>(
  pods: readonly P[],
  related: readonly Pod[],
  now: number,
): P[] {
  const crowd = new Map<string, number>();
  for (const pod of related)
    if (isActive(pod)) {
      const node = pod.spec?.nodeName ?? "";
      crowd.set(node, (crowd.get(node) ?? 0) + 1);
    }
  const crowdOf = (pod: Pod): number => crowd.get(pod.spec?.nodeName ?? "") ?? 0;
  return pods.toSorted(
    (a, b) =>
      compare(a, b, (pod) => (isAssigned(pod) ? 1 : 0)) ||
      compare(a, b, (pod) => phaseRank.get(pod.status?.phase ?? "") ?? 0) ||
      compare(a, b, (pod) => (isReady(pod) ? 1 : 0)) ||
      compare(a, b, costOf) ||
      compare(a, b, (pod) => -crowdOf(pod)) ||
      byAge(a, b, { timeOf: (pod) => readySinceMs(pod), now }) ||
      compare(a, b, (pod) => -restartsOf(pod)) ||
      byAge(a, b, { timeOf: (pod) => msOf(pod.metadata.creationTimestamp), now }) ||
      (a.metadata.uid < b.metadata.uid ? -1 : 1),
  );
}

function compare<P>(a: P, b: P, rankOf: (pod: P) => number): number {
  return rankOf(a) - rankOf(b);
}

function isAssigned(pod: Pod): boolean {
  return (pod.spec?.nodeName ?? "") !== "";
}

function costOf(pod: Pod): number {
  const cost = pod.metadata.annotations?.[deletionCost] ?? "0";
  return /^(0|-?[1-9][0-9]*)$/.test(cost) ? Number(cost) : 0;
}

function restartsOf(pod: Pod): number {
  const counts = (pod.status?.containerStatuses ?? []).map(({ restartCount }) => restartCount ?? 0);
  return Math.max(0, ...counts);
}

interface AgeOrder {
  readonly timeOf: (pod: Pod) => number | undefined;
  readonly now: number;
}

/**
 * Younger first, where ages within a factor of two count as one and chance (the UID) decides, so that a scale down does
 * not always meet the newest failure domain (KEP-2185).
 */
function byAge(a: Served<Pod>, b: Served<Pod>, { timeOf, now }: AgeOrder): number {
  const [timeA, timeB] = [timeOf(a), timeOf(b)];
  if (timeA === timeB) return 0;
  if (timeA === undefined) return -1;
  if (timeB === undefined) return 1;
  const difference = magnitude(now - timeA) - magnitude(now - timeB);
  if (difference !== 0) return difference;
  return a.metadata.uid < b.metadata.uid ? -1 : 1;
}

function magnitude(ageMs: number): number {
  return ageMs > 0 ? Math.floor(Math.log2(ageMs * 1e6)) : -1;
}
