// What controllers ask of a pod: does it still count, is it ready, for how long (upstream:
// pkg/api/v1/pod/util.go, pkg/controller/controller_utils.go).
import type { Pod, PodCondition } from "../../api/types/core-v1.ts";
import type { ApiObject } from "../../client/served-object.ts";
import { msOf } from "./timestamp.ts";

export function isTerminating({ metadata }: ApiObject): boolean {
  return typeof metadata.deletionTimestamp === "string";
}

/** Succeeded or Failed: it will never run again. */
export function isFinished({ status }: Pod): boolean {
  return status?.phase === "Succeeded" || status?.phase === "Failed";
}

/** Runs, or may come to run. */
export function isActive(pod: Pod): boolean {
  return !isFinished(pod) && !isTerminating(pod);
}

export function conditionOf(pod: Pod, type: string): PodCondition | undefined {
  return pod.status?.conditions?.find((condition) => condition.type === type);
}

export function isReady(pod: Pod): boolean {
  return conditionOf(pod, "Ready")?.status === "True";
}

/** When it became ready; undefined when it is not. */
export function readySinceMs(pod: Pod): number | undefined {
  const ready = conditionOf(pod, "Ready");
  return ready?.status === "True" ? msOf(ready.lastTransitionTime) : undefined;
}

/** Ready for longer than `minReadySeconds`. */
export function isAvailable(pod: Pod, minReadySeconds: number, now: number): boolean {
  if (!isReady(pod)) return false;
  return minReadySeconds === 0 || (untilAvailableMs(pod, minReadySeconds, now) ?? 1) <= 0;
}

/** Milliseconds until a pod that stays ready is available, not above 0 if it is; undefined when it is not ready. */
export function untilAvailableMs(
  pod: Pod,
  minReadySeconds: number,
  now: number,
): number | undefined {
  const since = readySinceMs(pod);
  // Longer than, not as long as.
  return since === undefined ? undefined : since + minReadySeconds * 1_000 + 1 - now;
}

/** When the next of `pods` becomes available merely by time passing; undefined: none. */
export function nextAvailableMs(
  pods: readonly Pod[],
  minReadySeconds: number,
  now: number,
): number | undefined {
  if (minReadySeconds === 0) return undefined;
  const waits = pods.flatMap((pod) => untilAvailableMs(pod, minReadySeconds, now) ?? []);
  const ahead = waits.filter((ms) => ms > 0);
  return ahead.length === 0 ? undefined : Math.min(...ahead);
}
