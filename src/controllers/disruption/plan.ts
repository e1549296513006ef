// What a PodDisruptionBudget allows right now: how many of its pods should be healthy, how many are, and so how many may
// be evicted (upstream: pkg/controller/disruption/disruption.go).
import type { Pod } from "../../api/types/core-v1.ts";
import type { Condition } from "../../api/types/meta-v1.ts";
import type { PodDisruptionBudget, PodDisruptionBudgetStatus } from "../../api/types/policy-v1.ts";
import type { Served } from "../../client/served-object.ts";
import { withCondition } from "../pods/condition.ts";
import { scaledValue } from "../pods/int-or-percent.ts";
import { isReady, isTerminating } from "../pods/pod-state.ts";
import { msOf, timestamp } from "../pods/timestamp.ts";

/** An allowed eviction whose pod is still there after so long did not happen. */
export const evictionTimeoutMs = 120_000;

export interface BudgetView {
  readonly budget: Readonly<Served<PodDisruptionBudget>>;
  /** Those that the selector finds. */
  readonly pods: readonly Readonly<Served<Pod>>[];
  /** How many pods their owners want, all together; asked only where the budget depends on it. */
  readonly expectedScale: number;
}

export interface BudgetPlan {
  readonly status: PodDisruptionBudgetStatus;
  /** Evicted by word, yet alive. */
  readonly notDeleted: readonly Readonly<Served<Pod>>[];
  /** When the next eviction times out. */
  readonly requeueAfterMs?: number;
}

/** Whether the count of pods is that of their owners, rather than of those that happen to be there. */
export function dependsOnScale({ spec }: PodDisruptionBudget): boolean {
  return spec?.maxUnavailable !== undefined || typeof spec?.minAvailable === "string";
}

export function planBudget(view: BudgetView, now: number): BudgetPlan {
  const { budget, pods } = view;
  const { expected, desired } = expectation(view);
  const evictions = pendingEvictions(budget, pods, now);
  const currentHealthy = pods.filter(
    (pod) => !isTerminating(pod) && isReady(pod) && !(pod.metadata.name in evictions.disruptedPods),
  ).length;
  const spare = expected <= 0 ? 0 : Math.max(0, currentHealthy - desired);
  const status: PodDisruptionBudgetStatus = {
    ...counts(budget, { expected, desired, currentHealthy, spare }),
    ...(Object.keys(evictions.disruptedPods).length === 0
      ? {}
      : { disruptedPods: evictions.disruptedPods }),
    conditions: conditionsOf(budget, now, {
      status: spare > 0 ? "True" : "False",
      reason: spare > 0 ? "SufficientPods" : "InsufficientPods",
      message: "",
    }),
  };
  const { notDeleted, nextMs } = evictions;
  return { status, notDeleted, ...(nextMs === undefined ? {} : { requeueAfterMs: nextMs - now }) };
}

/** When the count cannot be known nothing may be evicted. */
export function planFailure(
  budget: Readonly<Served<PodDisruptionBudget>>,
  message: string,
  now: number,
): PodDisruptionBudgetStatus {
  const { currentHealthy = 0, desiredHealthy = 0, expectedPods = 0 } = budget.status ?? {};
  return {
    ...budget.status,
    currentHealthy,
    desiredHealthy,
    expectedPods,
    disruptionsAllowed: 0,
    conditions: conditionsOf(budget, now, { status: "False", reason: "SyncFailed", message }),
  };
}

function expectation(view: BudgetView): { readonly expected: number; readonly desired: number } {
  const { budget, pods, expectedScale } = view;
  const { maxUnavailable, minAvailable } = budget.spec ?? {};
  if (maxUnavailable !== undefined) {
    const out = scaledValue(maxUnavailable, expectedScale, "up");
    return { expected: expectedScale, desired: Math.max(0, expectedScale - out) };
  }
  if (typeof minAvailable === "string")
    return { expected: expectedScale, desired: scaledValue(minAvailable, expectedScale, "up") };
  return { expected: pods.length, desired: minAvailable ?? 0 };
}

interface PendingEvictions {
  readonly disruptedPods: Record<string, string>;
  readonly notDeleted: readonly Readonly<Served<Pod>>[];
  readonly nextMs: number | undefined;
}

/** Evictions that were allowed and whose pods are not seen to go yet. */
function pendingEvictions(
  { status }: PodDisruptionBudget,
  pods: readonly Readonly<Served<Pod>>[],
  now: number,
): PendingEvictions {
  const disruptedPods: Record<string, string> = {};
  const notDeleted: Readonly<Served<Pod>>[] = [];
  let nextMs: number | undefined;
  for (const pod of pods) {
    const since = status?.disruptedPods?.[pod.metadata.name];
    const sinceMs = msOf(since);
    if (typeof since !== "string" || sinceMs === undefined || isTerminating(pod)) continue;
    const until = sinceMs + evictionTimeoutMs;
    if (until <= now) notDeleted.push(pod);
    else {
      disruptedPods[pod.metadata.name] = since;
      nextMs = Math.min(until, nextMs ?? until);
    }
  }
  return { disruptedPods, notDeleted, nextMs };
}

function counts(
  { metadata }: PodDisruptionBudget,
  count: {
    readonly expected: number;
    readonly desired: number;
    readonly currentHealthy: number;
    readonly spare: number;
  },
): Omit<PodDisruptionBudgetStatus, "conditions" | "disruptedPods"> {
  return {
    observedGeneration: metadata.generation ?? 0,
    disruptionsAllowed: count.spare,
    currentHealthy: count.currentHealthy,
    desiredHealthy: count.desired,
    expectedPods: count.expected,
  };
}

function conditionsOf(
  { metadata, status }: PodDisruptionBudget,
  now: number,
  said: Pick<Condition, "status" | "reason" | "message">,
): Condition[] {
  const before = status?.conditions?.find(({ type }) => type === "DisruptionAllowed");
  const lastTransitionTime =
    before?.status === said.status ? before.lastTransitionTime : timestamp(now);
  return withCondition(status?.conditions, {
    type: "DisruptionAllowed",
    ...said,
    observedGeneration: metadata.generation ?? 0,
    lastTransitionTime,
  });
}
