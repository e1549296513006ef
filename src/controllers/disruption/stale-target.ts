// A pod that was told it is to be disrupted, and then was not, is told that too (upstream: syncStalePodDisruption).
import type { Pod, PodCondition } from "../../api/types/core-v1.ts";
import { withCondition } from "../pods/condition.ts";
import { conditionOf, isFinished, isTerminating } from "../pods/pod-state.ts";
import { msOf, timestamp } from "../pods/timestamp.ts";

const staleAfterMs = 120_000;

export type StalePlan =
  | { readonly do: "wait"; readonly ms: number }
  | { readonly do: "reset"; readonly conditions: readonly PodCondition[] };

/** Whether the pod was told that it is to be disrupted and goes on all the same. */
export function isTold(pod: Pod): boolean {
  const target = conditionOf(pod, "DisruptionTarget");
  return target?.status === "True" && !isTerminating(pod) && !isFinished(pod);
}

/** Undefined when the pod has nothing to be told. */
export function planStale(pod: Pod, now: number): StalePlan | undefined {
  const target = conditionOf(pod, "DisruptionTarget");
  if (target === undefined || !isTold(pod)) return undefined;
  const ms = (msOf(target.lastTransitionTime) ?? 0) + staleAfterMs - now;
  if (ms > 0) return { do: "wait", ms };
  const reset = { type: "DisruptionTarget", status: "False", lastTransitionTime: timestamp(now) };
  return { do: "reset", conditions: withCondition(pod.status?.conditions, reset) };
}
