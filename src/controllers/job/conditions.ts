// Job conditions as values: found, made, put in place. Pure.
import type { Job, JobCondition } from "../../api/types/batch-v1.ts";
import { timestamp } from "../pods/timestamp.ts";

export function conditionOf(
  type: string,
  status: "True" | "False",
  said: { readonly reason: string; readonly message: string; readonly now: number },
): JobCondition {
  const { reason, message, now } = said;
  const time = timestamp(now);
  return { type, status, lastProbeTime: time, lastTransitionTime: time, reason, message };
}

export function findTrue(
  conditions: readonly JobCondition[] | undefined,
  type: string,
): JobCondition | undefined {
  return conditions?.find((one) => one.type === type && one.status === "True");
}

export function isFinished({ status }: Job): boolean {
  const { conditions } = status ?? {};
  return (
    findTrue(conditions, "Complete") !== undefined || findTrue(conditions, "Failed") !== undefined
  );
}

/** The list with the condition in it; undefined when that says nothing new. */
export function withCondition(
  conditions: readonly JobCondition[],
  condition: JobCondition,
): JobCondition[] | undefined {
  const at = conditions.findIndex(({ type }) => type === condition.type);
  const old = conditions[at];
  // What never was true need not be called false.
  if (old === undefined)
    return condition.status === "False" ? undefined : [...conditions, condition];
  const { status, reason, message } = condition;
  if (old.status === status && old.reason === reason && old.message === message) return undefined;
  return conditions.with(at, condition);
}
