// The accounting of 1.24 and older: a pod counts for what it is while it is there. A pod that is terminating and never
// ended is in no count, so it is replaced at once and for ever (kubernetes#76370). Pure.
import type { Job, JobStatus } from "../../api/types/batch-v1.ts";
import { isActive } from "../pods/pod-state.ts";
import { timestamp } from "../pods/timestamp.ts";
import { conditionOf } from "./conditions.ts";
import {
  type Said,
  type PodsPlan,
  deadlineLeftMs,
  pastDeadline,
  pastLimit,
  wantedActive,
} from "./plan.ts";
import { type JobPod, isPastRestartLimit, podsForRemoval } from "./pods.ts";
import type { JobView } from "./tally.ts";

export interface PresencePlan {
  readonly pods: PodsPlan;
  /** But for `active`, which depends on what comes of `pods`. */
  readonly status: JobStatus;
  readonly events: readonly Said[];
  /** Failures that the status did not have: the key must back off. */
  readonly newFailures: boolean;
  /** More have succeeded: earlier failures are forgiven. */
  readonly progress: boolean;
  readonly finished: boolean;
  readonly requeueAfterMs: number | undefined;
}

/** `requeues`: how often the key failed in a row. */
export function planByPresence(view: JobView, requeues: number): PresencePlan {
  const { job, pods, now } = view;
  const { active, succeeded, failed } = tallyOf(pods);
  const status: JobStatus = { ...job.status };
  status.startTime ??= timestamp(now);
  const newFailures = failed > (status.failed ?? 0);
  const progress = (status.succeeded ?? 0) < succeeded;
  const base = { status, newFailures, progress };
  const left = deadlineLeftMs(job, status, now);
  const { backoffLimit = 0, parallelism = 1 } = job.spec ?? {};
  const exceeds = newFailures && active.length !== parallelism && requeues + 1 > backoffLimit;
  const why =
    exceeds || isPastRestartLimit(job, pods) ? pastLimit : left === 0 ? pastDeadline : undefined;
  if (why !== undefined) {
    Object.assign(status, { succeeded, failed: failed + active.length });
    const condition = conditionOf("Failed", "True", { ...why, now });
    status.conditions = [...(status.conditions ?? []), condition];
    const events: Said[] = [{ type: "Warning", ...why }];
    const remove: PodsPlan = { do: "delete", pods: active, uncounted: false };
    return { ...base, pods: remove, events, finished: true, requeueAfterMs: undefined };
  }
  Object.assign(status, { succeeded, failed });
  const managed = view.caughtUp && job.metadata.deletionTimestamp == null;
  const change: PodsPlan = managed ? manage(job, active, succeeded) : { do: "nothing" };
  const after = active.length + (change.do === "create" ? change.pods.length : 0);
  const { finished, events } = complete(job, status, { succeeded, active: after, now });
  return { ...base, pods: change, events, finished, requeueAfterMs: left };
}

interface Tally {
  readonly active: readonly JobPod[];
  readonly succeeded: number;
  readonly failed: number;
}

/** In one pass, because of Jobs with tens of thousands of pods. */
function tallyOf(pods: readonly JobPod[]): Tally {
  const active: JobPod[] = [];
  let succeeded = 0;
  let failed = 0;
  for (const pod of pods) {
    const phase = pod.status?.phase;
    if (phase === "Succeeded") succeeded++;
    else if (phase === "Failed") failed++;
    else if (isActive(pod)) active.push(pod);
  }
  return { active, succeeded, failed };
}

function manage(job: Job, active: readonly JobPod[], succeeded: number): PodsPlan {
  const wanted = wantedActive(job, succeeded, active.length);
  if (active.length > wanted) {
    const pods = podsForRemoval(job, active, active.length - wanted);
    return { do: "delete", pods, uncounted: false };
  }
  if (active.length === wanted) return { do: "nothing" };
  const pods = Array.from({ length: wanted - active.length }, () => ({
    index: undefined,
    annotations: {},
  }));
  return { do: "create", pods };
}

function complete(
  { spec }: Job,
  status: JobStatus,
  { succeeded, active, now }: { succeeded: number; active: number; now: number },
): { finished: boolean; events: Said[] } {
  const completions = spec?.completions;
  const finished =
    completions === undefined ? succeeded > 0 && active === 0 : succeeded >= completions;
  if (!finished) return { finished, events: [] };
  const condition = conditionOf("Complete", "True", { reason: "", message: "", now });
  status.conditions = [...(status.conditions ?? []), condition];
  status.completionTime = timestamp(now);
  return { finished, events: [{ type: "Normal", reason: "Completed", message: "Job completed" }] };
}
