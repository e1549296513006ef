// How long a Job waits before it replaces failed pods: 10 s, doubled with every failure since the last success. Pure
// (upstream: pkg/controller/job/backoff_utils.go).
import { type JobPod, endedAt } from "./pods.ts";
import type { JobProfile } from "./profile.ts";

export interface BackoffRecord {
  readonly failures: number;
  /** Epoch ms of the last of them. */
  readonly lastFailureAt: number;
}

export const noFailures: BackoffRecord = { failures: 0, lastFailureAt: 0 };

export function nextBackoffRecord(
  before: BackoffRecord,
  succeeded: readonly JobPod[],
  failed: readonly JobPod[],
): BackoffRecord {
  if (succeeded.length === 0 && failed.length === 0) return before;
  const lastSuccessAt = Math.max(...succeeded.map(endedAt), Number.NEGATIVE_INFINITY);
  const since = failed.map(endedAt).filter((at) => at > lastSuccessAt);
  const base = succeeded.length === 0 ? before : noFailures;
  return {
    failures: base.failures + since.length,
    lastFailureAt: Math.max(base.lastFailureAt, ...since),
  };
}

export function backoffLeftMs(
  { failures, lastFailureAt }: BackoffRecord,
  now: number,
  { initialMs, maxMs }: JobProfile["backoff"],
): number {
  if (failures === 0) return 0;
  const delay = Math.min(maxMs, initialMs * 2 ** (failures - 1));
  return Math.max(0, lastFailureAt + delay - now);
}
