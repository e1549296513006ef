// Conditions of a pod that the server itself sets.
import type { Pod, PodCondition } from "../../../api/types/core-v1.ts";

/** In place; the transition time moves only when the condition's status does. */
export function setCondition(pod: Pod, condition: PodCondition, now: string): void {
  const status = (pod.status ??= {});
  const conditions = (status.conditions ??= []);
  const index = conditions.findIndex(({ type }) => type === condition.type);
  const before = conditions[index];
  const since = before?.status === condition.status ? before.lastTransitionTime : undefined;
  const dated = { ...condition, lastTransitionTime: since ?? now };
  if (index < 0) conditions.push(dated);
  else conditions[index] = dated;
}
