// One more eviction under a disruption budget: allowed or not, and what it leaves of the budget. Pure.
import { forbidden, StatusError, tooManyRequests } from "../../../api/meta/errors.ts";
import type { StatusCause } from "../../../api/types/meta-v1.ts";
import type { PodDisruptionBudget } from "../../../api/types/policy-v1.ts";
import { toNumber } from "../../generic/int64.ts";

/** Evictions that the budget's controller has not accounted for yet; more would make its status too large. */
const disruptedPodsMax = 2000;
const retryUnobservedSeconds = 10;
const budgets = { group: "policy", resource: "poddisruptionbudget" };

/** In place on the status. Throws TooManyRequests or Forbidden. `now` as it is stored. */
export function chargeBudget(budget: PodDisruptionBudget, pod: string, now: string): void {
  const name = budget.metadata.name ?? "";
  const status = (budget.status ??= {
    disruptionsAllowed: 0,
    currentHealthy: 0,
    desiredHealthy: 0,
    expectedPods: 0,
  });
  if (toNumber(status.observedGeneration) < toNumber(budget.metadata.generation)) {
    throw evictionBlocked(
      `The disruption budget ${name} is still being processed by the server.`,
      retryUnobservedSeconds,
    );
  }
  if (status.disruptionsAllowed < 0) {
    throw forbidden(budgets, name, "pdb disruptions allowed is negative");
  }
  if (Object.keys(status.disruptedPods ?? {}).length > disruptedPodsMax) {
    const why = "DisruptedPods map too big - too many evictions not confirmed by PDB controller";
    throw forbidden(budgets, name, why);
  }
  if (status.disruptionsAllowed === 0) throw evictionBlocked(whyNone(budget));
  status.disruptionsAllowed -= 1;
  if (status.disruptionsAllowed === 0) markExhausted(budget, now);
  status.disruptedPods = { ...status.disruptedPods, [pod]: now };
}

function whyNone({ metadata, status }: PodDisruptionBudget): string {
  const { name = "" } = metadata;
  const condition = status?.conditions?.find(({ type }) => type === "DisruptionAllowed");
  if (condition?.reason === "SyncFailed") {
    return `The disruption budget ${name} does not allow evicting pods currently because it failed sync: ${condition.message}`;
  }
  return `The disruption budget ${name} needs ${status?.desiredHealthy ?? 0} healthy pods and has ${status?.currentHealthy ?? 0} currently`;
}

function markExhausted(budget: PodDisruptionBudget, now: string): void {
  const conditions = (budget.status!.conditions ??= []);
  const index = conditions.findIndex(({ type }) => type === "DisruptionAllowed");
  const before = conditions[index];
  const condition = {
    type: "DisruptionAllowed",
    status: "False",
    observedGeneration: toNumber(budget.status!.observedGeneration),
    lastTransitionTime: before?.status === "False" ? before.lastTransitionTime : now,
    reason: "InsufficientPods",
    message: "",
  };
  if (index < 0) conditions.push(condition);
  else conditions[index] = condition;
}

/** 429; without a cause when the reason is that others got in between. */
export function evictionBlocked(cause = "", retryAfterSeconds = 0): StatusError {
  const message = "Cannot evict pod as it would violate the pod's disruption budget.";
  const { status } = tooManyRequests(message, retryAfterSeconds);
  const causes: StatusCause[] =
    cause === "" ? [] : [{ reason: "DisruptionBudget", message: cause }];
  return new StatusError({
    ...status,
    details: {
      ...(causes.length === 0 ? {} : { causes }),
      ...(retryAfterSeconds === 0 ? {} : { retryAfterSeconds }),
    },
  });
}
