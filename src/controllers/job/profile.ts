// How Job controllers of different ages count and wait, as data (incidents.md §3; upstream: pkg/controller/job).
import type { RetryLaw } from "../../informer/work-queue.ts";
import type { Steps } from "../../std/steps.ts";

export interface JobProfile {
  /** By a finalizer on each pod until it is counted (KEP-2307), or by looking at the pods that happen to be there. */
  readonly tracking: "finalizers" | "presence";
  /** Events of pods within this time cause one sync. */
  readonly batchMs: number;
  /** Before a failed pod is replaced: the first delay, doubled with each failure, and its limit. */
  readonly backoff: { readonly initialMs: number; readonly maxMs: number };
  /** Of failed syncs. With tracking by presence this is also the back-off for failed pods. */
  readonly retry: RetryLaw;
  /** Pods created or deleted by one sync. */
  readonly podsPerSyncMax: number;
  /** A Job is finished only when all its pods are (since 1.31). */
  readonly finishesAfterPods: boolean;
}

const minute = 60_000;
const unhurried = { qps: 1_000, burst: 1_000 };

export const jobProfile136: JobProfile = {
  tracking: "finalizers",
  batchMs: 1_000,
  backoff: { initialMs: 10_000, maxMs: 10 * minute },
  retry: { initialMs: 1_000, maxMs: minute, overall: unhurried },
  podsPerSyncMax: 500,
  finishesAfterPods: true,
};

/** 1.24 and older, but for 1.23.0 to 1.23.6. */
export const jobProfile116: JobProfile = {
  tracking: "presence",
  batchMs: 0,
  backoff: { initialMs: 10_000, maxMs: 6 * minute },
  retry: { initialMs: 10_000, maxMs: 6 * minute, overall: unhurried },
  podsPerSyncMax: Number.MAX_SAFE_INTEGER,
  finishesAfterPods: false,
};

/** By Kubernetes minor. 1.23.0 to 1.23.6 tracked by finalizers; the later 1.23 stand for it here. */
export const jobProfiles: Steps<JobProfile> = [
  [16, jobProfile116],
  [25, { ...jobProfile136, finishesAfterPods: false }],
  [31, jobProfile136],
];

/** Terminated pods that wait in the status to be counted. */
export const uncountedMax = 500;

export const trackingFinalizer = "batch.kubernetes.io/job-tracking";
export const indexAnnotation = "batch.kubernetes.io/job-completion-index";
export const failureCountAnnotation = "batch.kubernetes.io/job-index-failure-count";
export const ignoredFailureCountAnnotation = "batch.kubernetes.io/job-index-ignored-failure-count";
export const builtInManager = "kubernetes.io/job-controller";
