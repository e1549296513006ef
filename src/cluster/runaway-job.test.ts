// The runaway Job (incidents.md §3): its template names a node, the node is dead, and what evicts the pods races with what
// replaces them. Under the laws of 1.16 it never ends, under those of 1.36 it stops at 7 pods.
import { afterEach, describe, expect, it } from "vitest";
import type { Job } from "../api/types/batch-v1.ts";
import type { Node, Pod } from "../api/types/core-v1.ts";
import type { Served } from "../client/served-object.ts";
import { jobController, createJobController } from "../controllers/job/controller.ts";
import { jobProfile116 } from "../controllers/job/profile.ts";
import {
  nodeLifecycleController,
  createNodeLifecycleController,
} from "../controllers/node-lifecycle/controller.ts";
import { nodeLifecycleProfile116 } from "../controllers/node-lifecycle/profile.ts";
import {
  createTaintEvictionController,
  taintEvictionController,
} from "../controllers/taint-eviction/controller.ts";
import { taintEvictionProfile116 } from "../controllers/taint-eviction/profile.ts";
import { drainPromises } from "../host/node/drain-promises.ts";
import { createNodeHost } from "../host/node/node-host.ts";
import type { ComponentFactory } from "../informer/component.ts";
import { ComponentTestbed } from "./component.testbed.ts";
import type { ControlPlaneOptions } from "./control-plane.ts";

const { digest } = createNodeHost("silent", () => {});
const namespace = "default";
const second = 1_000;
const now136: Record<string, ComponentFactory> = {
  "job-controller": createJobController,
  "taint-eviction-controller": createTaintEvictionController,
  "node-lifecycle-controller": createNodeLifecycleController,
};
const as116: Record<string, ComponentFactory> = {
  "job-controller": jobController(jobProfile116),
  "taint-eviction-controller": taintEvictionController(taintEvictionProfile116),
  "node-lifecycle-controller": nodeLifecycleController(nodeLifecycleProfile116),
};

let bed: ComponentTestbed;
let renewals: { stop: () => void };

afterEach(async () => {
  renewals.stop();
  expect(bed.complaints).toEqual([]);
  await bed.stop();
});

/** One node that lives, one that does not. */
async function start(
  components: Record<string, ComponentFactory>,
  taints: NonNullable<Node["spec"]>["taints"],
  options: Partial<ControlPlaneOptions> = {},
): Promise<void> {
  bed = await ComponentTestbed.start(31, { digest, drain: drainPromises }, components, options);
  const leases = bed.client.resource("leases.coordination.k8s.io");
  for (const name of ["alive", "dead"]) {
    const spec = name === "dead" && taints !== undefined ? { taints } : {};
    const nodes = bed.client.resource("nodes");
    await bed.run(nodes.create({ metadata: { name }, spec }));
    const conditions = [{ type: "Ready", status: "True", reason: "KubeletReady" }];
    const patch = { status: { conditions } };
    await bed.run(nodes.patch({ name }, { type: "merge", patch }, { subresource: "status" }));
  }
  const lease = await bed.run(
    leases.create({ metadata: { name: "alive", namespace: "kube-node-lease" } }),
  );
  const { clock } = bed.simulated.host;
  let stopped = false;
  const renew = (): void => {
    if (stopped) return;
    const renewTime = new Date(clock.now()).toISOString().replace("Z", "000Z");
    const patch = { spec: { renewTime } };
    const ref = { namespace: "kube-node-lease", name: lease.metadata.name };
    void leases.patch(ref, { type: "merge", patch }).finally(() => {
      if (!stopped) clock.after(10 * second, renew);
    });
  };
  renew();
  renewals = { stop: () => void (stopped = true) };
  await bed.driver.advance(100 * second);
}

async function run(name: string): Promise<number> {
  const job: Job = {
    metadata: { name, namespace },
    spec: {
      template: {
        metadata: {},
        spec: {
          nodeName: "dead",
          restartPolicy: "Never",
          tolerations: [{ operator: "Exists", effect: "NoSchedule" }],
          containers: [{ name: "c", image: "i" }],
        },
      },
    },
  };
  await bed.run(bed.client.resource("jobs.batch").create(job));
  return bed.simulated.host.clock.now();
}

async function pods(): Promise<Served<Pod>[]> {
  return (await bed.run(bed.client.resource("pods").list({ namespace }))).items;
}

async function madeAt(startMs: number): Promise<number[]> {
  return (await pods())
    .map(({ metadata }) => (Date.parse(metadata.creationTimestamp) - startMs) / second)
    .toSorted((a, b) => a - b);
}

/** Batches of a second and whole seconds in timestamps make each step a little late. */
function expectTimes(actual: readonly number[], expected: readonly number[]): void {
  expect(actual).toHaveLength(expected.length);
  for (const [at, time] of expected.entries()) {
    expect(actual[at]).toBeGreaterThanOrEqual(time - 1);
    expect(actual[at]).toBeLessThanOrEqual(time + 2 * (at + 1));
  }
}

const conditionsOf = async (name: string): Promise<string[]> => {
  const job = await bed.run(bed.client.resource("jobs.batch").get({ namespace, name }));
  return (job.status?.conditions ?? []).map(({ type, reason }) => `${type} ${reason}`);
};

const untolerated = [{ key: "example.com/dead", effect: "NoExecute" }];

describe("variant A, a NoExecute taint that nobody tolerates", () => {
  it("stops at 7 pods today", async () => {
    await start(now136, untolerated);
    const startMs = await run("seed");
    await bed.driver.advance(660 * second);
    expectTimes(await madeAt(startMs), [0, 10, 30, 70, 150, 310, 630]);
    // The pods cannot end while their node is dead, and since 1.31 the Job waits for them.
    expect(await conditionsOf("seed")).toEqual(["FailureTarget BackoffLimitExceeded"]);
    await bed.driver.advance(3_600 * second);
    const left = await pods();
    expect(left).toHaveLength(7);
    for (const { metadata, status } of left) {
      expect(metadata.deletionTimestamp).toBeDefined();
      expect(status?.conditions?.find(({ type }) => type === "DisruptionTarget")).toMatchObject({
        status: "True",
        reason: "DeletionByTaintManager",
        message: "Taint manager: deleting due to NoExecute taint",
      });
    }
    for (const { metadata } of left)
      await bed.run(
        bed.client
          .resource("pods")
          .delete({ namespace, name: metadata.name }, { gracePeriodSeconds: 0 }),
      );
    await bed.driver.advance(5 * second);
    expect(await conditionsOf("seed")).toEqual([
      "FailureTarget BackoffLimitExceeded",
      "Failed BackoffLimitExceeded",
    ]);
    expect(await pods()).toEqual([]);
  });

  // The evicting client has 20 calls a second, first come first served. It asks for one deletion a Job at a time, and its
  // events come one after another, however many wait: n Jobs get n of n + 1 tokens, and of the events the rest is dropped.
  it.each([
    { jobs: ["first"], podsPerSecond: 10 },
    { jobs: ["first", "second"], podsPerSecond: 13.3 },
  ])(
    "loops at $podsPerSecond pods a second under 1.16 with $jobs",
    async ({ jobs, podsPerSecond }) => {
      await start(as116, untolerated, { runawayOwnerLimit: 0 });
      for (const name of jobs) await run(name);
      await bed.driver.advance(10 * second);
      const before = (await pods()).length;
      await bed.driver.advance(30 * second);
      const made = (await pods()).length - before;
      expect(made).toBeGreaterThan(0.95 * 30 * podsPerSecond);
      expect(made).toBeLessThan(1.05 * 30 * podsPerSecond);
      for (const name of jobs) {
        const job = await bed.run(bed.client.resource("jobs.batch").get({ namespace, name }));
        expect(job.status?.failed).toBeUndefined();
        expect(await conditionsOf(name)).toEqual([]);
      }
    },
  );

  it("is bounded under 1.16 by the runaway-owner breaker, as it is on by default", async () => {
    await start(as116, untolerated);
    await run("first");
    await run("second");
    await bed.driver.advance(1_800 * second);
    // Each 1, then 200 + 20, then probes after 1, 2, 4 ... 256, 300 s; variant A alone would have made 24,000.
    const made = (await pods()).length;
    expect(made).toBeGreaterThanOrEqual(2 * (1 + 220));
    expect(made).toBeLessThanOrEqual(2 * (1 + 220 + 14));
    const { items } = await bed.run(bed.client.resource("events").list({ namespace }));
    const told = items.filter(({ reason }) => reason === "RunawayOwner");
    expect(told.map(({ involvedObject }) => involvedObject.name).toSorted()).toEqual([
      "first",
      "second",
    ]);
  });
});

describe("variant C, the manifest as it was on a node that died", () => {
  it("stops at 7 pods today, 300 s later each", async () => {
    await start(now136, undefined);
    const dead = await bed.run(bed.client.resource("nodes").get({ name: "dead" }));
    expect(dead.spec?.taints?.map(({ key, effect }) => `${key}:${effect}`).toSorted()).toEqual([
      "node.kubernetes.io/unreachable:NoExecute",
      "node.kubernetes.io/unreachable:NoSchedule",
    ]);
    expect(dead.status?.conditions?.[0]).toMatchObject({
      type: "Ready",
      status: "Unknown",
      reason: "NodeStatusUnknown",
      message: "Kubelet stopped posting node status.",
    });
    const startMs = await run("seed");
    await bed.driver.advance(2_760 * second);
    expectTimes(await madeAt(startMs), [0, 310, 630, 970, 1350, 1810, 2430]);
    expect(await conditionsOf("seed")).toEqual(["FailureTarget BackoffLimitExceeded"]);
  });

  it("makes 12 pods an hour under 1.16, for ever", async () => {
    await start(as116, undefined);
    const startMs = await run("seed");
    await bed.driver.advance(3_590 * second);
    const expected = Array.from({ length: 12 }, (_, at) => at * 300);
    expectTimes(await madeAt(startMs), expected);
    expect(await conditionsOf("seed")).toEqual([]);
  });
});
