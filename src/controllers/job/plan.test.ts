import { describe, expect, it } from "vitest";
import type { Job, JobSpec, JobStatus } from "../../api/types/batch-v1.ts";
import type { Pod } from "../../api/types/core-v1.ts";
import { noFailures } from "./backoff.ts";
import { type JobPlan, planJob } from "./plan.ts";
import { jobProfile136, trackingFinalizer } from "./profile.ts";

const now = Date.parse("2026-01-01T00:10:00Z");
const startTime = "2026-01-01T00:00:00Z";

function jobOf(spec: Partial<JobSpec>, status: JobStatus = {}): Job {
  const whole = { template: { metadata: {} }, parallelism: 1, completions: 1, backoffLimit: 6 };
  const metadata = { name: "j", namespace: "n", uid: "job" };
  return { metadata, spec: { ...whole, ...spec }, status: { startTime, ...status } };
}

let serial = 0;

function podOf(phase: string, more: Partial<Pod["metadata"]> = {}): Pod {
  const uid = `u${serial++}`;
  const creationTimestamp = startTime;
  const finalizers = [trackingFinalizer];
  return {
    metadata: { name: uid, namespace: "n", uid, creationTimestamp, finalizers, ...more },
    status: { phase },
  };
}

function plan(job: Job, pods: readonly Pod[], caughtUp = true): JobPlan {
  const view = { job, pods, releasing: new Set<string>(), caughtUp, now };
  return planJob({ ...view, backoff: noFailures, profile: jobProfile136 });
}

/** `create 2`, `delete 1`, `nothing`. */
function pods({ pods: change }: JobPlan): string {
  return change.do === "nothing" ? change.do : `${change.do} ${change.pods.length}`;
}

const terminating = { deletionTimestamp: "2026-01-01T00:10:20Z", deletionGracePeriodSeconds: 30 };

describe("planJob", () => {
  it.each([
    ["starts what is missing", jobOf({ parallelism: 3, completions: 5 }), [], "create 3"],
    [
      "makes no more than are left to complete",
      jobOf({ parallelism: 3, completions: 5 }, { succeeded: 3 }),
      [podOf("Running")],
      "create 1",
    ],
    [
      "deletes what is too much",
      jobOf({ parallelism: 1, completions: 5 }),
      [podOf("Running"), podOf("Pending")],
      "delete 1",
    ],
    [
      "waits before it replaces a failed pod",
      jobOf({}),
      [
        podOf("Failed", {
          deletionTimestamp: terminating.deletionTimestamp,
          deletionGracePeriodSeconds: 20,
        }),
      ],
      "nothing",
    ],
    [
      "waits for a terminating pod when only failed ones are replaced",
      jobOf({ podReplacementPolicy: "Failed" }),
      [podOf("Running", terminating)],
      "nothing",
    ],
    [
      "leaves a work queue alone after its first success",
      {
        ...jobOf({ parallelism: 3 }),
        spec: { template: { metadata: {} }, parallelism: 3, backoffLimit: 6 },
      },
      [podOf("Succeeded"), podOf("Running")],
      "nothing",
    ],
    ["deletes all when suspended", jobOf({ suspend: true }), [podOf("Running")], "delete 1"],
    [
      "makes nothing for a Job that is being deleted",
      { ...jobOf({}), metadata: { name: "j", deletionTimestamp: startTime } },
      [],
      "nothing",
    ],
  ])("%s", (_, job, there, expected) => {
    expect(pods(plan(job, there))).toBe(expected);
  });

  it("does nothing about pods while it does not see its own", () => {
    expect(pods(plan(jobOf({}), [], false))).toBe("nothing");
  });

  it.each([
    ["its limit", jobOf({ backoffLimit: 0 }), "BackoffLimitExceeded"],
    ["its deadline", jobOf({ activeDeadlineSeconds: 600 }), "DeadlineExceeded"],
  ])("ends at %s and takes running pods along", (_, job, reason) => {
    const result = plan(job, [podOf("Failed"), podOf("Running")]);
    expect(result.finish).toMatchObject({ type: "FailureTarget", status: "True", reason });
    expect(pods(result)).toBe("delete 1");
  });

  it("knows when its deadline comes", () => {
    expect(plan(jobOf({ activeDeadlineSeconds: 700 }), [podOf("Running")]).requeueAfterMs).toBe(
      100_000,
    );
  });

  it("counts a terminating pod as failed, unless it may still end well", () => {
    expect(plan(jobOf({}), [podOf("Running", terminating)]).tally.failed).toBe(1);
    const patient = jobOf({ podReplacementPolicy: "Failed" });
    expect(plan(patient, [podOf("Running", terminating)]).tally.failed).toBe(0);
  });
});
