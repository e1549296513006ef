// How far a Job is: which of its ended pods are not counted yet, how many succeeded and failed with them, and the same by
// index. Pure.
import type { Job } from "../../api/types/batch-v1.ts";
import { isActive } from "../pods/pod-state.ts";
import { matchFailurePolicy } from "./failure-policy.ts";
import { type IndexSet, indexOf, parseIndexes } from "./indexes.ts";
import { type JobPod, isFailed, isTracked } from "./pods.ts";
import { failureCountAnnotation, ignoredFailureCountAnnotation } from "./profile.ts";

export interface JobView {
  readonly job: Job;
  /** All that the Job controls. */
  readonly pods: readonly JobPod[];
  /** UIDs whose tracking finalizer has been removed, though the informer does not show it yet. */
  readonly releasing: ReadonlySet<string>;
  /** Whether the informer shows all pods that this controller made and deleted. */
  readonly caughtUp: boolean;
  /** Epoch ms. */
  readonly now: number;
}

export interface Tally {
  readonly newlySucceeded: readonly JobPod[];
  readonly newlyFailed: readonly JobPod[];
  readonly succeeded: number;
  readonly failed: number;
  /** Undefined: not Indexed. */
  readonly indexes: IndexTally | undefined;
}

export interface IndexTally {
  readonly succeeded: IndexSet;
  /** As the status says. */
  readonly alreadySucceeded: IndexSet;
  /** Undefined without backoffLimitPerIndex. */
  readonly failed: IndexSet | undefined;
  /** Index -> its last failed pod, kept until its successor carries its count on. */
  readonly lastFailed: ReadonlyMap<number, JobPod>;
}

export function isIndexed({ spec }: Job): boolean {
  return spec?.completionMode === "Indexed";
}

export function tallyOf(view: JobView): Tally {
  const { job } = view;
  const { status, spec } = job;
  const uncounted = status?.uncountedTerminatedPods;
  const succeededBefore = new Set(uncounted?.succeeded ?? []);
  const failedBefore = new Set(uncounted?.failed ?? []);
  const waiting = waitingPods(view);
  const newlySucceeded = waiting.filter(
    (pod) => pod.status?.phase === "Succeeded" && !succeededBefore.has(uidOf(pod)),
  );
  const newlyFailed = waiting.filter((pod) => isFailed(pod, job) && !failedBefore.has(uidOf(pod)));
  const counting = newlyFailed.filter(
    (pod) => matchFailurePolicy(spec?.podFailurePolicy, pod).counts,
  );
  const indexes = isIndexed(job) ? indexTally(view, waiting) : undefined;
  return {
    newlySucceeded,
    newlyFailed,
    succeeded:
      indexes?.succeeded.size ??
      (status?.succeeded ?? 0) + newlySucceeded.length + succeededBefore.size,
    failed: (status?.failed ?? 0) + counting.length + failedBefore.size,
    indexes,
  };
}

/** Pods whose finalizer says that they are not in the counters yet. */
export function waitingPods({ job, pods, releasing }: JobView): JobPod[] {
  return pods.filter(
    (pod) => isTracked(pod) && !releasing.has(uidOf(pod)) && hasUsableIndex(pod, job),
  );
}

export function hasUsableIndex(pod: JobPod, job: Job): boolean {
  if (!isIndexed(job)) return true;
  const index = indexOf(pod);
  return index !== undefined && index < (job.spec?.completions ?? 0);
}

function indexTally({ job, pods }: JobView, waiting: readonly JobPod[]): IndexTally {
  const { spec, status } = job;
  const completions = spec?.completions ?? 0;
  const alreadySucceeded = parseIndexes(status?.completedIndexes ?? "", completions);
  const succeeded = new Set(alreadySucceeded);
  for (const pod of waiting)
    if (pod.status?.phase === "Succeeded") succeeded.add(indexOf(pod) ?? 0);
  if (spec?.backoffLimitPerIndex === undefined)
    return { succeeded, alreadySucceeded, failed: undefined, lastFailed: new Map() };
  const failedPods = waiting.filter((pod) => isFailed(pod, job));
  const failed = parseIndexes(status?.failedIndexes ?? "", completions);
  for (const pod of failedPods) if (isIndexLost(job, pod)) failed.add(indexOf(pod) ?? 0);
  const active = new Set(pods.filter(isActive).map(indexOf));
  const lastFailed = new Map<number, JobPod>();
  for (const pod of failedPods) {
    const index = indexOf(pod) ?? 0;
    if (succeeded.has(index) || failed.has(index) || active.has(index)) continue;
    const other = lastFailed.get(index);
    if (other === undefined || attemptsOf(other) <= attemptsOf(pod)) lastFailed.set(index, pod);
  }
  return { succeeded, alreadySucceeded, failed, lastFailed };
}

/** Whether this failure was the index's last chance. */
function isIndexLost({ spec }: Job, pod: JobPod): boolean {
  const { action, counts } = matchFailurePolicy(spec?.podFailurePolicy, pod);
  if (action === "FailIndex") return true;
  return counts && annotated(pod, failureCountAnnotation) >= (spec?.backoffLimitPerIndex ?? 0);
}

/** How many pods of the index failed before this one, counted or not. */
export function attemptsOf(pod: JobPod): number {
  return annotated(pod, failureCountAnnotation) + annotated(pod, ignoredFailureCountAnnotation);
}

/** What the pod that takes over from `last` must say about its index. */
export function failureAnnotations(job: Job, last: JobPod | undefined): Record<string, string> {
  if (job.spec?.backoffLimitPerIndex === undefined) return {};
  if (last === undefined) return { [failureCountAnnotation]: "0" };
  const { counts } = matchFailurePolicy(job.spec.podFailurePolicy, last);
  const failures = annotated(last, failureCountAnnotation) + (counts ? 1 : 0);
  const ignored = annotated(last, ignoredFailureCountAnnotation) + (counts ? 0 : 1);
  return {
    [failureCountAnnotation]: String(failures),
    ...(ignored > 0 ? { [ignoredFailureCountAnnotation]: String(ignored) } : {}),
  };
}

function annotated({ metadata }: JobPod, key: string): number {
  const value = Number(metadata.annotations?.[key] ?? "0");
  return Number.isFinite(value) ? value : 0;
}

export function uidOf({ metadata }: JobPod): string {
  return metadata.uid ?? "";
}
