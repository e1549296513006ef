// Every pod that ended is counted exactly once, whatever crashes in between: its UID is written into the status, then its
// finalizer goes, then the counter takes it over from the list (KEP-2307). Pure.
import type { JobCondition, JobStatus } from "../../api/types/batch-v1.ts";
import { timestamp } from "../pods/timestamp.ts";
import { conditionOf, withCondition } from "./conditions.ts";
import { matchFailurePolicy } from "./failure-policy.ts";
import { formatIndexes, indexOf } from "./indexes.ts";
import { type JobPod, isFailed, isTracked } from "./pods.ts";
import { uncountedMax } from "./profile.ts";
import { type JobView, type Tally, hasUsableIndex, isIndexed, uidOf } from "./tally.ts";

export interface Counted {
  /** To be written before any finalizer goes. */
  readonly status: JobStatus;
  /** Pods whose finalizer may go then. */
  readonly release: readonly JobPod[];
  /** More pods wait than one status holds: the Job cannot end yet. */
  readonly full: boolean;
}

export interface CountOptions {
  readonly tally: Tally;
  /** How the Job will end. */
  readonly finish: JobCondition | undefined;
  /** Whether the status says so before the end. */
  readonly told: boolean;
}

/** `status` has the counters of this sync's pods that are still there. */
export function countEnded(
  view: JobView,
  status: JobStatus,
  { tally, finish, told }: CountOptions,
): Counted {
  const lists = settledLists(view, status);
  const { counters, succeeded, failed } = lists;
  const newIndexes = new Set(tally.indexes?.alreadySucceeded);
  const before = newIndexes.size;
  const release: JobPod[] = [];
  let full = false;
  for (const pod of inIndexOrder(view)) {
    if (!mayRelease(view, pod, { tally, finish })) continue;
    release.push(pod);
    count(view, pod, { succeeded, failed, indexes: newIndexes, finish });
    full = newIndexes.size - before + succeeded.size + failed.size >= uncountedMax;
    if (full) break;
  }
  const next: JobStatus = {
    ...status,
    ...counters,
    uncountedTerminatedPods: listsOf(succeeded, failed),
  };
  if (tally.indexes !== undefined) {
    next.succeeded = newIndexes.size;
    next.completedIndexes = formatIndexes(newIndexes);
    if (tally.indexes.failed !== undefined)
      next.failedIndexes = formatIndexes(tally.indexes.failed);
  }
  if (finish !== undefined && told)
    next.conditions = withCondition(next.conditions ?? [], finish) ?? next.conditions ?? [];
  return { status: next, release, full };
}

/** After finalizers went: those in the lists that have none any more move into the counters. */
export function settle(status: JobStatus, tracked: ReadonlySet<string>): JobStatus {
  const lists = status.uncountedTerminatedPods;
  const part = (uids: readonly string[] = []): [left: Set<string>, gone: number] => {
    const left = new Set(uids.filter((uid) => tracked.has(uid)));
    return [left, uids.length - left.size];
  };
  const [succeeded, succeededGone] = part(lists?.succeeded);
  const [failed, failedGone] = part(lists?.failed);
  return {
    ...status,
    succeeded: (status.succeeded ?? 0) + succeededGone,
    failed: (status.failed ?? 0) + failedGone,
    uncountedTerminatedPods: listsOf(succeeded, failed),
  };
}

/** Undefined: not yet, because pods are uncounted or, where the profile says so, still terminating. */
export function finished(
  status: JobStatus,
  finish: JobCondition,
  options: { readonly now: number; readonly afterPods: boolean },
): JobStatus | undefined {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  if (succeeded.length + failed.length > 0) return undefined;
  if (options.afterPods && (status.terminating ?? 0) > 0) return undefined;
  const { now } = options;
  const { reason = "", message = "" } = finish;
  const type = finish.type === "FailureTarget" ? "Failed" : "Complete";
  const last = conditionOf(type, "True", { reason, message, now });
  const conditions = withCondition(status.conditions ?? [], last) ?? status.conditions ?? [];
  return {
    ...status,
    conditions,
    ...(type === "Complete" ? { completionTime: timestamp(now) } : {}),
  };
}

/** UIDs of pods that still carry the finalizer. */
export function trackedUids({ pods, releasing }: JobView): Set<string> {
  return new Set(
    pods
      .filter(isTracked)
      .map(uidOf)
      .filter((uid) => !releasing.has(uid)),
  );
}

function settledLists(
  view: JobView,
  status: JobStatus,
): { counters: JobStatus; succeeded: Set<string>; failed: Set<string> } {
  const settled = settle(status, trackedUids(view));
  const { succeeded = [], failed = [] } = settled.uncountedTerminatedPods ?? {};
  return {
    counters: { succeeded: settled.succeeded ?? 0, failed: settled.failed ?? 0 },
    succeeded: new Set(succeeded),
    failed: new Set(failed),
  };
}

function inIndexOrder({ job, pods }: JobView): readonly JobPod[] {
  if (!isIndexed(job)) return pods;
  return pods.toSorted((a, b) => (indexOf(a) ?? -1) - (indexOf(b) ?? -1));
}

function mayRelease(
  { job, releasing }: JobView,
  pod: JobPod,
  { tally, finish }: { readonly tally: Tally; readonly finish: JobCondition | undefined },
): boolean {
  if (!isTracked(pod) || releasing.has(uidOf(pod))) return false;
  if (job.metadata.deletionTimestamp != null || finish !== undefined) return true;
  if (pod.status?.phase === "Succeeded") return true;
  if (!isFailed(pod, job)) return false;
  const last = tally.indexes?.lastFailed.get(indexOf(pod) ?? -1);
  return last === undefined || uidOf(last) !== uidOf(pod);
}

function count(
  { job }: JobView,
  pod: JobPod,
  into: {
    readonly succeeded: Set<string>;
    readonly failed: Set<string>;
    readonly indexes: Set<number>;
    readonly finish: JobCondition | undefined;
  },
): void {
  const uid = uidOf(pod);
  if (pod.status?.phase === "Succeeded" && !into.failed.has(uid)) {
    if (!isIndexed(job)) into.succeeded.add(uid);
    else if (hasUsableIndex(pod, job)) into.indexes.add(indexOf(pod) ?? 0);
    return;
  }
  // When the Job has failed, what has not ended will not end well.
  const lost = into.finish?.type === "FailureTarget";
  if (!isFailed(pod, job) && !lost) return;
  if (!hasUsableIndex(pod, job)) return;
  if (matchFailurePolicy(job.spec?.podFailurePolicy, pod).counts) into.failed.add(uid);
}

function listsOf(
  succeeded: ReadonlySet<string>,
  failed: ReadonlySet<string>,
): NonNullable<JobStatus["uncountedTerminatedPods"]> {
  return {
    ...(succeeded.size > 0 ? { succeeded: [...succeeded] } : {}),
    ...(failed.size > 0 ? { failed: [...failed] } : {}),
  };
}
