// What a Job's pods are to it: active, ended, ended badly, terminating; since when; and which go first when there are too
// many. Pure.
import type { Job } from "../../api/types/batch-v1.ts";
import type { Pod } from "../../api/types/core-v1.ts";
import { isFinished, isReady, isTerminating } from "../pods/pod-state.ts";
import { msOf } from "../pods/timestamp.ts";
import { indexOf } from "./indexes.ts";
import { trackingFinalizer } from "./profile.ts";

export type JobPod = Readonly<Pod>;

/** Will end, and has not yet. */
export function isEnding(pod: JobPod): boolean {
  return isTerminating(pod) && !isFinished(pod);
}

export function isTracked({ metadata }: JobPod): boolean {
  return metadata.finalizers?.includes(trackingFinalizer) ?? false;
}

/** Pods are replaced only when they have ended, not already when they are about to. */
export function replacesOnlyFailed({ spec }: Job): boolean {
  return spec?.podReplacementPolicy === "Failed" || spec?.podFailurePolicy !== undefined;
}

/** A pod that is deleted counts as failed: nobody may be there to let it end. */
export function isFailed(pod: JobPod, job: Job): boolean {
  if (pod.status?.phase === "Failed") return true;
  return !replacesOnlyFailed(job) && isEnding(pod);
}

/** Epoch ms at which the pod ended, as far as can be told. */
export function endedAt({ status, metadata }: JobPod): number {
  const times = (status?.containerStatuses ?? []).map((one) =>
    msOf(one.state?.terminated?.finishedAt),
  );
  if (times.length > 0 && times.every((time) => time !== undefined)) return Math.max(...times);
  const unready = status?.conditions?.find(
    (one) => one.type === "Ready" && one.status === "False" && one.lastTransitionTime != null,
  );
  const unreadyAt = msOf(unready?.lastTransitionTime);
  if (unreadyAt !== undefined) return unreadyAt;
  const deletion = msOf(metadata.deletionTimestamp);
  // The timestamp lies ahead by the grace period.
  if (deletion !== undefined) return deletion - (metadata.deletionGracePeriodSeconds ?? 0) * 1_000;
  return msOf(metadata.creationTimestamp) ?? 0;
}

export function restartsOf({ status }: JobPod): number {
  return [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])].reduce(
    (sum, { restartCount }) => sum + restartCount,
    0,
  );
}

/** For restartPolicy OnFailure, where containers restart in place of pods. */
export function isPastRestartLimit({ spec }: Job, pods: readonly JobPod[]): boolean {
  if (spec?.template.spec?.restartPolicy !== "OnFailure") return false;
  const phases = ["Running", "Pending"];
  const restarts = pods
    .filter(({ status }) => phases.includes(status?.phase ?? ""))
    .reduce((sum, pod) => sum + restartsOf(pod), 0);
  const limit = spec.backoffLimit ?? 0;
  return limit === 0 ? restarts > 0 : restarts >= limit;
}

/** Active pods to delete: all that share an index with a better one or have none, and others up to `atLeast`. */
export function podsForRemoval(job: Job, active: readonly JobPod[], atLeast: number): JobPod[] {
  const remove: JobPod[] = [];
  const left: JobPod[] = [];
  const ranked = active.toSorted(compareForRemoval);
  if (job.spec?.completionMode === "Indexed") {
    const completions = job.spec.completions ?? 0;
    const kept = new Set<number>();
    for (const pod of ranked.toReversed()) {
      const index = indexOf(pod);
      if (index === undefined || index >= completions || kept.has(index)) remove.push(pod);
      else {
        kept.add(index);
        left.unshift(pod);
      }
    }
  } else left.push(...ranked);
  const more = Math.max(0, atLeast - remove.length);
  return [...remove, ...left.slice(0, more)];
}

const phaseRanks: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 };

/** Least missed first: unbound, not running, not ready, often restarted, young (upstream: controller.ActivePods). */
function compareForRemoval(a: JobPod, b: JobPod): number {
  const ranks = (pod: JobPod): number[] => [
    (pod.spec?.nodeName ?? "") === "" ? 0 : 1,
    phaseRanks[pod.status?.phase ?? "Pending"] ?? 0,
    isReady(pod) ? 1 : 0,
    -restartsOf(pod),
    -Date.parse(pod.metadata.creationTimestamp ?? ""),
  ];
  const [left, right] = [ranks(a), ranks(b)];
  for (const [at, rank] of left.entries()) if (rank !== right[at]) return rank - right[at]!;
  return 0;
}
