// Whether a CronJob starts a Job now, what becomes of those it has, and when to look again. Pure (upstream:
// pkg/controller/cronjob/cronjob_controllerv2.go and utils.go).
import type { CronJob, CronJobStatus, Job } from "../../api/types/batch-v1.ts";
import type { ObjectReference } from "../../api/types/core-v1.ts";
import type { Served } from "../../client/served-object.ts";
import { type TimeZone, findTimeZone, utc } from "../../std/time-zone.ts";
import { msOf, timestamp } from "../pods/timestamp.ts";
import { type Schedule, ScheduleError, parseSchedule } from "../../api/cron-schedule.ts";

export interface CronInput {
  readonly cronJob: Readonly<Served<CronJob>>;
  /** All Jobs that it controls. */
  readonly jobs: readonly Readonly<Served<Job>>[];
  /** UIDs in status.active that a live look did not find either. */
  readonly missing: ReadonlySet<string>;
  /** Epoch ms. */
  readonly now: number;
}

export interface Said {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

export interface CronPlan {
  /** Before the start, if any. */
  readonly status: CronJobStatus;
  readonly events: readonly Said[];
  /** Finished Jobs beyond the history limits. */
  readonly remove: readonly Readonly<Served<Job>>[];
  /** Scheduled time of the Job to be made, epoch ms. */
  readonly start: number | undefined;
  /** References of active Jobs that must go first. */
  readonly replace: readonly ObjectReference[];
  readonly requeueAfterMs: number | undefined;
}

/** So that the clock has surely passed the scheduled second. */
const lateMs = 100;
/** Missed starts that one may still put down to a pause. */
const missedMax = 100;

export function planCronJob(input: CronInput): CronPlan {
  const { cronJob, now } = input;
  const events: Said[] = [];
  const status = settleActive(input, events);
  const remove = surplusJobs(input);
  const idle = { status, events, remove, replace: [], start: undefined };
  const rest = { ...idle, requeueAfterMs: undefined };
  const { spec, metadata } = cronJob;
  if (spec === undefined || metadata.deletionTimestamp != null) return rest;
  const schedule = scheduleOf(cronJob, events);
  if (schedule === undefined || spec.suspend === true) return rest;
  const recent = latestStart(cronJob, schedule, now);
  if (recent.missed > missedMax) events.push(tooManyMissed);
  const requeueAfterMs = nextStartMs(schedule, recent.time ?? recent.earliest, now);
  const wait = { ...idle, requeueAfterMs };
  const start = recent.time;
  if (start === undefined) return wait;
  const deadline = spec.startingDeadlineSeconds;
  if (deadline !== undefined && start + deadline * 1_000 < now) {
    const when = rfc1123(start);
    const message = `Missed scheduled time to start a job: ${when}`;
    events.push({ type: "Warning", reason: "MissSchedule", message });
    return wait;
  }
  const active = status.active ?? [];
  const name = jobName(cronJob, start);
  if (active.some((one) => one.name === name) || msOf(status.lastScheduleTime) === start)
    return wait;
  if (spec.concurrencyPolicy === "Forbid" && active.length > 0) {
    events.push(alreadyActive);
    return wait;
  }
  const replace = spec.concurrencyPolicy === "Replace" ? active : [];
  return { ...wait, replace, start };
}

export function jobName({ metadata }: CronJob, start: number): string {
  return `${metadata.name ?? ""}-${Math.floor(start / 60_000)}`;
}

const tooManyMissed: Said = {
  type: "Warning",
  reason: "TooManyMissedTimes",
  message:
    "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew",
};

const alreadyActive: Said = {
  type: "Normal",
  reason: "JobAlreadyActive",
  message: "Not starting job because prior execution is running and concurrency policy is Forbid",
};

/* ---- the Jobs there are ---- */

function settleActive({ cronJob, jobs, missing }: CronInput, events: Said[]): CronJobStatus {
  const status: CronJobStatus = { ...cronJob.status };
  let active = status.active ?? [];
  for (const job of jobs) {
    const { name, uid } = job.metadata;
    const listed = active.some((one) => one.uid === uid);
    const outcome = outcomeOf(job);
    if (!listed && outcome === undefined)
      events.push({
        type: "Warning",
        reason: "UnexpectedJob",
        message: `Saw a job that the controller did not create or forgot: ${name}`,
      });
    else if (listed && outcome !== undefined) {
      active = active.filter((one) => one.uid !== uid);
      const message = `Saw completed job: ${name}, condition: ${outcome}`;
      events.push({ type: "Normal", reason: "SawCompletedJob", message });
    }
    const completedAt = outcome === "Complete" ? msOf(job.status?.completionTime) : undefined;
    if (completedAt !== undefined && completedAt > (msOf(status.lastSuccessfulTime) ?? -1))
      status.lastSuccessfulTime = timestamp(completedAt);
  }
  for (const { name = "", uid = "" } of active)
    if (missing.has(uid)) {
      const message = `Active job went missing: ${name}`;
      events.push({ type: "Normal", reason: "MissingJob", message });
    }
  status.active = active.filter(({ uid = "" }) => !missing.has(uid));
  if (status.active.length === 0) delete status.active;
  return status;
}

export function outcomeOf({ status }: Job): "Complete" | "Failed" | undefined {
  const end = status?.conditions?.find(
    ({ type, status }) => (type === "Complete" || type === "Failed") && status === "True",
  );
  return end?.type as "Complete" | "Failed" | undefined;
}

function surplusJobs({ cronJob, jobs }: CronInput): Readonly<Served<Job>>[] {
  const { successfulJobsHistoryLimit: good, failedJobsHistoryLimit: bad } = cronJob.spec ?? {};
  const oldest = (outcome: string, limit: number | undefined): Readonly<Served<Job>>[] => {
    if (limit === undefined) return [];
    const ended = jobs
      .filter((job) => outcomeOf(job) === outcome && job.metadata.deletionTimestamp == null)
      .toSorted((a, b) => startOf(a) - startOf(b));
    return ended.slice(0, Math.max(0, ended.length - limit));
  };
  return [...oldest("Complete", good), ...oldest("Failed", bad)];
}

function startOf({ status, metadata }: Served<Job>): number {
  return msOf(status?.startTime) ?? Date.parse(metadata.creationTimestamp);
}

/* ---- time ---- */

/** UTC where it names none, which is what the clocks of a control plane show. Undefined: there is no such zone. */
export function zoneOf({ spec }: CronJob): TimeZone | undefined {
  return spec?.timeZone === undefined ? utc : findTimeZone(spec.timeZone);
}

function scheduleOf(cronJob: CronJob, events: Said[]): Schedule | undefined {
  const { schedule = "", timeZone } = cronJob.spec ?? {};
  const zone = zoneOf(cronJob);
  if (zone === undefined) {
    const message = `invalid timeZone: "${timeZone}": unknown time zone ${timeZone}`;
    events.push({ type: "Warning", reason: "UnknownTimeZone", message });
    return undefined;
  }
  try {
    return parseSchedule(schedule, zone);
  } catch (error) {
    if (!(error instanceof ScheduleError)) throw error;
    const message = `unparseable schedule: "${schedule}" : ${error.message}`;
    events.push({ type: "Warning", reason: "UnparseableSchedule", message });
    return undefined;
  }
}

interface LatestStart {
  readonly earliest: number;
  /** The last scheduled time that is not later than now and was not started yet. */
  readonly time: number | undefined;
  /** Times since the last start, counted up to a little more than the limit. */
  readonly missed: number;
}

function latestStart(cronJob: Served<CronJob>, schedule: Schedule, now: number): LatestStart {
  const { status, metadata, spec } = cronJob;
  const deadline = spec?.startingDeadlineSeconds;
  const since = msOf(status?.lastScheduleTime) ?? Date.parse(metadata.creationTimestamp);
  const earliest = deadline === undefined ? since : Math.max(since, now - deadline * 1_000);
  let time: number | undefined;
  let missed = 0;
  let next = schedule.next(earliest);
  while (next !== undefined && next <= now && missed <= missedMax) {
    time = next;
    missed++;
    next = schedule.next(next);
  }
  if (missed > missedMax) time = lastWithin(schedule, now);
  return { earliest, time, missed };
}

/** Looks back further and further, so that a long pause costs no long count. */
function lastWithin(schedule: Schedule, now: number): number | undefined {
  for (let windowMs = 60_000; windowMs < 1e12; windowMs *= 8) {
    let last: number | undefined;
    let next = schedule.next(now - windowMs);
    while (next !== undefined && next <= now) {
      last = next;
      next = schedule.next(next);
    }
    if (last !== undefined) return last;
  }
  return undefined;
}

function nextStartMs(schedule: Schedule, from: number, now: number): number | undefined {
  let next = schedule.next(from);
  if (next !== undefined && next <= now) next = schedule.next(now);
  return next === undefined ? undefined : next - now + lateMs;
}

/** `Fri, 02 Jan 2026 15:04:05 +0000` */
function rfc1123(time: number): string {
  return new Date(time).toUTCString().replace("GMT", "+0000");
}
