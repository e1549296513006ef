// What a Job needs next: pods made or deleted, an end declared. Pure; says nothing about how pods are counted once they
// ended, which counting.ts does (upstream: syncJob and manageJob in pkg/controller/job/job_controller.go).
import type { Job, JobCondition, JobStatus } from "../../api/types/batch-v1.ts";
import { isActive } from "../pods/pod-state.ts";
import { timestamp } from "../pods/timestamp.ts";
import { type BackoffRecord, backoffLeftMs, nextBackoffRecord } from "./backoff.ts";
import { conditionOf, findTrue, withCondition } from "./conditions.ts";
import { matchFailurePolicy } from "./failure-policy.ts";
import { indexOf, pendingIndexes } from "./indexes.ts";
import {
  type JobPod,
  endedAt,
  isFailed,
  isPastRestartLimit,
  isEnding,
  podsForRemoval,
  replacesOnlyFailed,
} from "./pods.ts";
import type { JobProfile } from "./profile.ts";
import { metSuccessPolicy } from "./success-policy.ts";
import {
  type JobView,
  type Tally,
  attemptsOf,
  failureAnnotations,
  isIndexed,
  tallyOf,
} from "./tally.ts";

/** One pod to be made. */
export interface NewPod {
  readonly index: number | undefined;
  readonly annotations: Readonly<Record<string, string>>;
}

export type PodsPlan =
  | { readonly do: "nothing" }
  | { readonly do: "create"; readonly pods: readonly NewPod[] }
  /** `uncounted`: their finalizers go first, so that they are never counted as failed. */
  | { readonly do: "delete"; readonly pods: readonly JobPod[]; readonly uncounted: boolean };

export interface Said {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

export interface JobPlan {
  readonly pods: PodsPlan;
  /** With start time and suspension as they shall be; counters as before. */
  readonly status: JobStatus;
  /** SuccessCriteriaMet or FailureTarget: how the Job ends, unless pods could not all be deleted now. */
  readonly finish: JobCondition | undefined;
  readonly tally: Tally;
  readonly backoff: BackoffRecord;
  readonly events: readonly Said[];
  readonly requeueAfterMs: number | undefined;
}

export interface JobInput extends JobView {
  readonly backoff: BackoffRecord;
  readonly profile: JobProfile;
}

export function planJob(input: JobInput): JobPlan {
  const { job, pods, now, caughtUp } = input;
  const tally = tallyOf(input);
  const backoff = nextBackoffRecord(input.backoff, tally.newlySucceeded, tally.newlyFailed);
  const status: JobStatus = { ...job.status };
  if (status.startTime == null && !isSuspended(job)) status.startTime = timestamp(now);
  const base = { status, tally, backoff, events: [] as Said[] };
  const active = pods.filter(isActive);
  const finish = endOf(input, status, tally);
  if (finish !== undefined) {
    // Without all of our own pods in view the end cannot be declared yet.
    const certain = caughtUp ? finish : undefined;
    const remove: PodsPlan =
      active.length === 0 ? { do: "nothing" } : { do: "delete", pods: active, uncounted: false };
    return { ...base, pods: remove, finish: certain, requeueAfterMs: undefined };
  }
  const deadline = deadlineLeftMs(job, status, now);
  const managed = caughtUp && job.metadata.deletionTimestamp == null;
  const { pods: change, waitMs } = managed
    ? managePods({ ...input, backoff }, tally, active)
    : { pods: { do: "nothing" } as const, waitMs: undefined };
  const complete = completionOf(job, tally, { active: activeAfter(active, change), now });
  const events: Said[] = [];
  if (complete === undefined && managed) settleSuspension(job, status, { now, events });
  const waits = [deadline, waitMs].filter((ms) => ms !== undefined);
  return {
    ...base,
    events,
    pods: change,
    finish: complete,
    requeueAfterMs: waits.length === 0 ? undefined : Math.min(...waits),
  };
}

export function isSuspended({ spec }: Job): boolean {
  return spec?.suspend === true;
}

function activeAfter(active: readonly JobPod[], change: PodsPlan): number {
  if (change.do === "create") return active.length + change.pods.length;
  return active.length - (change.do === "delete" ? change.pods.length : 0);
}

/* ---- the end ---- */

function endOf(
  { job, pods, now }: JobView,
  status: JobStatus,
  tally: Tally,
): JobCondition | undefined {
  const decided =
    findTrue(status.conditions, "SuccessCriteriaMet") ??
    findTrue(status.conditions, "FailureTarget");
  if (decided !== undefined) return decided;
  const failed = failureOf(job, pods, { now, status, tally });
  if (failed !== undefined) return conditionOf("FailureTarget", "True", { ...failed, now });
  const { indexes } = tally;
  if (indexes === undefined) return undefined;
  const message = metSuccessPolicy(
    job.spec?.successPolicy,
    job.spec?.completions ?? 0,
    indexes.succeeded,
  );
  if (message === undefined) return undefined;
  return conditionOf("SuccessCriteriaMet", "True", { reason: "SuccessPolicy", message, now });
}

type Why = Pick<Said, "reason" | "message">;

function failureOf(
  job: Job,
  pods: readonly JobPod[],
  { now, status, tally }: { now: number; status: JobStatus; tally: Tally },
): Why | undefined {
  const { spec } = job;
  if (spec?.podFailurePolicy !== undefined)
    for (const pod of pods) {
      if (!isFailed(pod, job)) continue;
      const { message } = matchFailurePolicy(spec.podFailurePolicy, pod);
      if (message !== undefined) return { reason: "PodFailurePolicy", message };
    }
  if (tally.failed > (spec?.backoffLimit ?? 0) || isPastRestartLimit(job, pods)) return pastLimit;
  if (deadlineLeftMs(job, status, now) === 0) return pastDeadline;
  return indexFailureOf(job, tally);
}

export const pastLimit: Why = {
  reason: "BackoffLimitExceeded",
  message: "Job has reached the specified backoff limit",
};

export const pastDeadline: Why = {
  reason: "DeadlineExceeded",
  message: "Job was active longer than specified deadline",
};

function indexFailureOf({ spec }: Job, { indexes }: Tally): Why | undefined {
  if (indexes?.failed === undefined) return undefined;
  const failed = indexes.failed.size;
  if (spec?.maxFailedIndexes !== undefined && failed > spec.maxFailedIndexes)
    return {
      reason: "MaxFailedIndexesExceeded",
      message: "Job has exceeded the specified maximal number of failed indexes",
    };
  if (failed > 0 && failed + indexes.succeeded.size >= (spec?.completions ?? 0))
    return { reason: "FailedIndexes", message: "Job has failed indexes" };
  return undefined;
}

/** 0: it is over; undefined: there is none, or it does not run now. */
export function deadlineLeftMs(job: Job, status: JobStatus, now: number): number | undefined {
  const seconds = job.spec?.activeDeadlineSeconds;
  if (seconds === undefined || status.startTime == null || isSuspended(job)) return undefined;
  return Math.max(0, Date.parse(status.startTime) + seconds * 1_000 - now);
}

function completionOf(
  { spec }: Job,
  { succeeded }: Tally,
  { active, now }: { active: number; now: number },
): JobCondition | undefined {
  if (active > 0 || succeeded < (spec?.completions ?? 1)) return undefined;
  return conditionOf("SuccessCriteriaMet", "True", {
    reason: "CompletionsReached",
    message: "Reached expected number of succeeded pods",
    now,
  });
}

/* ---- pods ---- */

interface Managed {
  readonly pods: PodsPlan;
  readonly waitMs?: number | undefined;
}

const unchanged: Managed = { pods: { do: "nothing" } };

function managePods(input: JobInput, tally: Tally, active: readonly JobPod[]): Managed {
  const { job, pods, profile } = input;
  const wanted = isSuspended(job) ? 0 : wantedActive(job, tally.succeeded, active.length);
  const tooMany = Math.max(0, active.length - wanted);
  const remove = podsForRemoval(job, active, tooMany).slice(0, profile.podsPerSyncMax);
  // Never both in one sync: deletions first.
  if (remove.length > 0) return { pods: { do: "delete", pods: remove, uncounted: true } };
  const terminating = replacesOnlyFailed(job) ? pods.filter(isEnding).length : 0;
  const missing = Math.min(wanted - terminating - active.length, profile.podsPerSyncMax);
  return missing > 0 ? createPods(input, tally, missing) : unchanged;
}

/** How many pods shall be active (also the law of 1.16). */
export function wantedActive({ spec }: Job, succeeded: number, active: number): number {
  const parallelism = spec?.parallelism ?? 1;
  // Without a number of completions, the first success says: no new ones.
  if (spec?.completions === undefined) return succeeded > 0 ? active : parallelism;
  return Math.max(0, Math.min(spec.completions - succeeded, parallelism));
}

function createPods(input: JobInput, tally: Tally, missing: number): Managed {
  const { job, now, backoff, profile } = input;
  const perIndex = job.spec?.backoffLimitPerIndex !== undefined;
  const waitMs = perIndex ? 0 : backoffLeftMs(backoff, now, profile.backoff);
  if (waitMs > 0) return { ...unchanged, waitMs };
  if (!isIndexed(job)) {
    const plain: NewPod = { index: undefined, annotations: {} };
    return { pods: { do: "create", pods: Array.from({ length: missing }, () => plain) } };
  }
  const waits = newIndexes(input, tally, missing).map((index) => {
    const last = tally.indexes?.lastFailed.get(index);
    return { index, last, ms: last === undefined ? 0 : indexWaitMs(last, input) };
  });
  const ready = waits.filter(({ ms }) => ms === 0);
  if (ready.length === 0)
    return waits.length === 0
      ? unchanged
      : { ...unchanged, waitMs: Math.min(...waits.map(({ ms }) => ms)) };
  const made = ready.map(({ index, last }): NewPod => ({
    index,
    annotations: failureAnnotations(job, last),
  }));
  return { pods: { do: "create", pods: made } };
}

function newIndexes({ job, pods }: JobInput, { indexes }: Tally, count: number): number[] {
  const holding = replacesOnlyFailed(job)
    ? pods.filter((pod) => isActive(pod) || isEnding(pod))
    : pods.filter(isActive);
  const held = new Set(holding.map(indexOf).filter((index) => index !== undefined));
  const done = [indexes?.succeeded ?? new Set<number>(), indexes?.failed ?? new Set<number>()];
  return pendingIndexes(count, job.spec?.completions ?? 0, [held, ...done]);
}

function indexWaitMs(last: JobPod, { now, profile }: JobInput): number {
  const record = { failures: attemptsOf(last) + 1, lastFailureAt: endedAt(last) };
  return backoffLeftMs(record, now, profile.backoff);
}

/* ---- suspension ---- */

function settleSuspension(
  job: Job,
  status: JobStatus,
  { now, events }: { readonly now: number; readonly events: Said[] },
): void {
  const suspended = isSuspended(job);
  const said = suspended
    ? { reason: "JobSuspended", message: "Job suspended" }
    : { reason: "JobResumed", message: "Job resumed" };
  const condition = conditionOf("Suspended", suspended ? "True" : "False", { ...said, now });
  const conditions = withCondition(status.conditions ?? [], condition);
  if (conditions === undefined) return;
  status.conditions = conditions;
  const reason = suspended ? "Suspended" : "Resumed";
  events.push({ type: "Normal", reason, message: said.message });
  // The deadline must not go off for the time of suspension.
  if (!suspended) status.startTime = timestamp(now);
}
