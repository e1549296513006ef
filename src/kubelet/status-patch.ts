// The least that makes the server's status of a pod ours, as a strategic merge patch; conditions of others stay.
import type { Pod, PodCondition, PodIP, PodStatus } from "../api/types/core-v1.ts";
import { equalJson } from "../std/json.ts";
import { changedFields } from "./changed-fields.ts";

/** Fields that are ours also when we say nothing in them. */
const ours = ["podIP", "podIPs", "reason", "message"] as const;

/** Undefined: nothing differs. */
export function statusPatchOf(pod: Pod, wanted: PodStatus): object | undefined {
  const current = pod.status ?? {};
  const { conditions: told, podIPs, ...rest } = wanted;
  const fields = changedFields(current, rest);
  for (const name of ours)
    if (wanted[name] === undefined && current[name] !== undefined) fields[name] = null;
  const conditions = changedConditions(current.conditions ?? [], told ?? []);
  if (conditions.length > 0) fields["conditions"] = conditions;
  if (podIPs !== undefined && !equalJson(current.podIPs, podIPs))
    fields["podIPs"] = replaced(current.podIPs ?? [], podIPs);
  if (Object.keys(fields).length === 0) return undefined;
  return { metadata: { uid: pod.metadata.uid }, status: fields };
}

/** Whether two statuses differ in nothing that anybody waits for: how far the pod is, and each container. */
export function isSameOutline(told: PodStatus | undefined, wanted: PodStatus): boolean {
  if (told?.startTime == null || told.phase !== wanted.phase) return false;
  return equalJson(outlineOf(told), outlineOf(wanted));
}

function outlineOf({ conditions = [], ...status }: PodStatus): unknown {
  const containers = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  const ready = conditions.find(({ type }) => type === "Ready")?.status ?? "";
  const stages = containers.map(({ name, state, ready: isReady, restartCount }) => {
    return [name, state ?? {}, isReady, restartCount];
  });
  return [ready, status.reason ?? "", stages];
}

/** Merging by type keeps what a condition said before, unless it is taken back. */
function changedConditions(
  current: readonly PodCondition[],
  wanted: readonly PodCondition[],
): object[] {
  return wanted.flatMap((one) => {
    const before = current.find(({ type }) => type === one.type);
    if (before === undefined) return [one];
    const { status, reason, message, observedGeneration } = one;
    const isSame =
      before.status === status &&
      before.reason === reason &&
      before.message === message &&
      before.observedGeneration === observedGeneration;
    if (isSame) return [];
    if (!before.reason && !before.message) return [one];
    return [Object.assign({}, one, { reason: reason ?? null, message: message ?? null })];
  });
}

/** A list that merges by address keeps the old ones unless told not to. */
function replaced(current: readonly PodIP[], wanted: readonly PodIP[]): object[] {
  return current.length === 0 ? [...wanted] : [{ $patch: "replace" }, ...wanted];
}
