// How Job controllers of different ages count and wait, as data (upstream: pkg/controller/job).
import type { RetryLaw } from "../../informer/work-queue.ts";
import type { Steps } from "../../std/steps.ts";

export interface JobProfile {
  /** By a finalizer on each pod until it is counted (KEP-2307), or by looking at the pods that happen to be there. */
  readonly tracking: "finalizers" | "presence";
  /** Events of pods within this time cause one sync (since 1.24). */
  readonly batchMs: number;
  /** Before a failed pod is replaced: the first delay, doubled with each failure, and its limit. */
  readonly backoff: { readonly initialMs: number; readonly maxMs: number };
  /** Of failed syncs. With tracking by presence this is also the back-off for failed pods. */
  readonly retry: RetryLaw;
  /** Pods created or deleted by one sync. */
  readonly podsPerSyncMax: number;
  /** Pods that a sync looks through to find its own: all of the namespace, or by an index of owners (since 1.34). */
  readonly looksThrough: "namespace" | "owner";
  /**
   * A Job is finished only when all its pods are, and says before that how it will end (since 1.31); before, only a
   * failure by policy was told beforehand.
   */
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
  looksThrough: "owner",
  finishesAfterPods: true,
};

/** Up to 1.23, where 1.23.0 to 1.23.6 tracked by finalizers; those later stand for them. */
export const jobProfile116: JobProfile = {
  tracking: "presence",
  batchMs: 0,
  backoff: { initialMs: 10_000, maxMs: 6 * minute },
  retry: { initialMs: 10_000, maxMs: 6 * minute, overall: unhurried },
  podsPerSyncMax: Number.MAX_SAFE_INTEGER,
  looksThrough: "namespace",
  finishesAfterPods: false,
};

const jobProfile131: JobProfile = { ...jobProfile136, looksThrough: "namespace" };
const jobProfile128: JobProfile = { ...jobProfile131, finishesAfterPods: false };

/** By Kubernetes minor. */
export const jobProfiles: Steps<JobProfile> = [
  [16, jobProfile116],
  [22, { ...jobProfile116, podsPerSyncMax: 500 }],
  [24, { ...jobProfile116, podsPerSyncMax: 500, batchMs: 1_000 }],
  [25, { ...jobProfile128, backoff: jobProfile116.backoff }],
  [28, jobProfile128],
  [31, jobProfile131],
  [34, jobProfile136],
];

/** Terminated pods that wait in the status to be counted. */
export const uncountedMax = 500;

export const trackingFinalizer = "batch.kubernetes.io/job-tracking";
export const indexAnnotation = "batch.kubernetes.io/job-completion-index";
export const failureCountAnnotation = "batch.kubernetes.io/job-index-failure-count";
export const ignoredFailureCountAnnotation = "batch.kubernetes.io/job-index-ignored-failure-count";
export const builtInManager = "kubernetes.io/job-controller";
