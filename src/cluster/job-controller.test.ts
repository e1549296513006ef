// Jobs from their start to their end; the test plays the kubelet.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Job, JobSpec } from "../api/types/batch-v1.ts";
import type { Pod, PodStatus } from "../api/types/core-v1.ts";
import type { Served } from "../client/served-object.ts";
import { createGarbageCollector } from "../controllers/garbage-collector/controller.ts";
import { createJobController } from "../controllers/job/controller.ts";
import { drainPromises } from "../host/node/drain-promises.ts";
import { createNodeHost } from "../host/node/node-host.ts";
import { ComponentTestbed } from "./component.testbed.ts";

const { digest } = createNodeHost("silent", () => {});
const namespace = "default";
let bed: ComponentTestbed;

beforeEach(async () => {
  bed = await ComponentTestbed.start(
    21,
    { digest, drain: drainPromises },
    {
      "job-controller": createJobController,
      "generic-garbage-collector": createGarbageCollector,
    },
  );
  await bed.driver.advance(1_000);
});

afterEach(async () => {
  expect(bed.complaints).toEqual([]);
  await bed.stop();
});

async function make(spec: Partial<JobSpec>): Promise<Served<Job>> {
  const template = {
    metadata: {},
    spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] },
  } as JobSpec["template"];
  const job: Job = { metadata: { name: "j", namespace }, spec: { template, ...spec } };
  const made = await bed.run(bed.client.resource("jobs.batch").create(job));
  await bed.driver.advance(1_500);
  return made;
}

const job = (): Promise<Served<Job>> =>
  bed.run(bed.client.resource("jobs.batch").get({ namespace, name: "j" }));

async function pods(): Promise<Served<Pod>[]> {
  return (await bed.run(bed.client.resource("pods").list({ namespace }))).items;
}

async function running(): Promise<Served<Pod>[]> {
  return (await pods()).filter(
    ({ status, metadata }) => status?.phase === "Pending" && metadata.deletionTimestamp == null,
  );
}

async function end(pod: Served<Pod>, status: PodStatus): Promise<void> {
  const patch = { status };
  const ref = { namespace, name: pod.metadata.name };
  await bed.run(
    bed.client.resource("pods").patch(ref, { type: "strategic", patch }, { subresource: "status" }),
  );
}

function exited(exitCode: number): PodStatus {
  const at = new Date(bed.simulated.host.clock.now()).toISOString().replace(/\.\d+/, "");
  return {
    phase: exitCode === 0 ? "Succeeded" : "Failed",
    containerStatuses: [
      {
        name: "c",
        ready: false,
        restartCount: 0,
        image: "i",
        imageID: "i",
        state: { terminated: { exitCode, finishedAt: at } },
      },
    ],
  };
}

async function endAll(exitCode: number): Promise<void> {
  for (const pod of await running()) await end(pod, exited(exitCode));
  await bed.driver.advance(1_500);
}

const conditions = async (): Promise<string[]> =>
  ((await job()).status?.conditions ?? []).map(
    ({ type, status, reason, message }) => `${type}=${status} ${reason}: ${message}`,
  );

async function events(): Promise<string[]> {
  const { items } = await bed.run(bed.client.resource("events").list({ namespace }));
  return items.map(({ type, reason, message }) => `${type} ${reason} ${message}`);
}

describe("a Job", () => {
  it("runs completions in turns of parallelism and completes", async () => {
    await make({ completions: 3, parallelism: 2 });
    expect(await running()).toHaveLength(2);
    expect((await job()).status).toMatchObject({ active: 2, ready: 0, terminating: 0 });
    await endAll(0);
    expect(await running()).toHaveLength(1);
    expect((await job()).status).toMatchObject({ active: 1, succeeded: 2 });
    await endAll(0);
    const { status } = await job();
    expect(status?.succeeded).toBe(3);
    expect(status?.active).toBeUndefined();
    expect(status?.uncountedTerminatedPods).toEqual({});
    expect(status?.completionTime).toBeDefined();
    expect(await conditions()).toEqual([
      "SuccessCriteriaMet=True CompletionsReached: Reached expected number of succeeded pods",
      "Complete=True CompletionsReached: Reached expected number of succeeded pods",
    ]);
    expect((await pods()).flatMap(({ metadata }) => metadata.finalizers ?? [])).toEqual([]);
    expect(await events()).toContain("Normal Completed Job completed");
  });

  it("backs off 10, 20, 40 s and gives up at its limit", async () => {
    await make({ backoffLimit: 2 });
    const madeAt: number[] = [];
    for (const wait of [9_000, 19_000]) {
      await endAll(1);
      await bed.driver.advance(wait - 1_500 - 1_000);
      expect(await running()).toEqual([]);
      await bed.driver.advance(3_000);
      const [pod] = await running();
      madeAt.push(Date.parse(pod?.metadata.creationTimestamp ?? ""));
    }
    await endAll(1);
    expect(await conditions()).toEqual([
      "FailureTarget=True BackoffLimitExceeded: Job has reached the specified backoff limit",
      "Failed=True BackoffLimitExceeded: Job has reached the specified backoff limit",
    ]);
    expect((await job()).status?.failed).toBe(3);
    expect(await events()).toContain(
      "Warning BackoffLimitExceeded Job has reached the specified backoff limit",
    );
  });

  it("gives each index a pod that knows it", async () => {
    await make({ completions: 3, parallelism: 3, completionMode: "Indexed" });
    const made = await running();
    expect(made.map(({ spec }) => spec?.hostname).toSorted()).toEqual(["j-0", "j-1", "j-2"]);
    expect(made[0]?.spec?.containers?.[0]?.env).toEqual([
      {
        name: "JOB_COMPLETION_INDEX",
        valueFrom: {
          fieldRef: {
            apiVersion: "v1",
            fieldPath: "metadata.labels['batch.kubernetes.io/job-completion-index']",
          },
        },
      },
    ]);
    const last = made.find(({ spec }) => spec?.hostname === "j-2");
    await end(last!, exited(0));
    await bed.driver.advance(1_500);
    expect((await job()).status?.completedIndexes).toBe("2");
    await endAll(0);
    expect((await job()).status).toMatchObject({ completedIndexes: "0-2", succeeded: 3 });
    expect((await conditions()).at(-1)).toContain("Complete=True");
  });

  it("counts failures by index, and fails when only failed indexes are left", async () => {
    await make({
      completions: 2,
      parallelism: 2,
      completionMode: "Indexed",
      backoffLimitPerIndex: 1,
    });
    const byHost = async (host: string): Promise<Served<Pod>> =>
      (await running()).find(({ spec }) => spec?.hostname === host)!;
    await end(await byHost("j-0"), exited(1));
    await end(await byHost("j-1"), exited(0));
    await bed.driver.advance(12_000);
    const again = await byHost("j-0");
    expect(again.metadata.annotations).toMatchObject({
      "batch.kubernetes.io/job-index-failure-count": "1",
    });
    await end(again, exited(1));
    await bed.driver.advance(2_000);
    expect((await job()).status).toMatchObject({
      completedIndexes: "1",
      failedIndexes: "0",
      succeeded: 1,
      failed: 2,
    });
    expect((await conditions()).at(-1)).toBe("Failed=True FailedIndexes: Job has failed indexes");
  });

  it("fails at once, or ignores, as the podFailurePolicy says", async () => {
    await make({
      backoffLimit: 0,
      podFailurePolicy: {
        rules: [
          { action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] },
          { action: "FailJob", onExitCodes: { operator: "In", values: [42] } },
        ],
      },
    });
    const [first] = await running();
    await end(first!, {
      phase: "Failed",
      conditions: [{ type: "DisruptionTarget", status: "True" }],
    });
    await bed.driver.advance(15_000);
    const [second] = await running();
    expect(second).toBeDefined();
    expect((await job()).status?.failed ?? 0).toBe(0);
    await end(second!, exited(42));
    await bed.driver.advance(2_000);
    expect((await conditions()).at(-1)).toBe(
      `Failed=True PodFailurePolicy: Container c for pod default/${second!.metadata.name} failed with exit code 42 matching FailJob rule at index 1`,
    );
  });

  it("suspends and resumes", async () => {
    await make({ suspend: true });
    expect(await running()).toEqual([]);
    expect(await conditions()).toEqual(["Suspended=True JobSuspended: Job suspended"]);
    const suspend = (value: boolean): Promise<unknown> =>
      bed.run(
        bed.client
          .resource("jobs.batch")
          .patch({ namespace, name: "j" }, { type: "merge", patch: { spec: { suspend: value } } }),
      );
    await suspend(false);
    await bed.driver.advance(2_000);
    expect(await running()).toHaveLength(1);
    expect(await conditions()).toEqual(["Suspended=False JobResumed: Job resumed"]);
    await suspend(true);
    await bed.driver.advance(2_000);
    expect(await running()).toEqual([]);
    expect((await job()).status?.failed ?? 0).toBe(0);
  });

  it("ends at its deadline", async () => {
    await make({ activeDeadlineSeconds: 30 });
    await bed.driver.advance(35_000);
    expect((await conditions()).at(-1)).toBe(
      "Failed=True DeadlineExceeded: Job was active longer than specified deadline",
    );
    expect(await running()).toEqual([]);
  });

  it("ends early by its successPolicy", async () => {
    await make({
      completions: 3,
      parallelism: 3,
      completionMode: "Indexed",
      successPolicy: { rules: [{ succeededIndexes: "0", succeededCount: 1 }] },
    });
    const leader = (await running()).find(({ spec }) => spec?.hostname === "j-0");
    await end(leader!, exited(0));
    await bed.driver.advance(5_000);
    expect(await conditions()).toEqual([
      "SuccessCriteriaMet=True SuccessPolicy: Matched rules at index 0",
      "Complete=True SuccessPolicy: Matched rules at index 0",
    ]);
    expect((await job()).status?.succeeded).toBe(1);
  });

  it("takes its pods with it", async () => {
    await make({ parallelism: 2, completions: 2 });
    await bed.run(
      bed.client
        .resource("jobs.batch")
        .delete({ namespace, name: "j" }, { propagationPolicy: "Background" }),
    );
    await bed.driver.advance(5_000);
    expect(await pods()).toEqual([]);
  });
});
