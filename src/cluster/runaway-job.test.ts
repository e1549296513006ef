// The runaway Job: its template names a node, the node is dead, and what evicts the pods races with what
// replaces them. Under the laws of 1.16 it never ends, under those of 1.36 it stops at 7 pods.
import { afterEach, describe, expect, it } from "vitest";
import type { Job } from "../api/types/batch-v1.ts";
import type { Node, NodeCondition, Pod } from "../api/types/core-v1.ts";
import type { Served } from "../client/served-object.ts";
import { drainPromises } from "../host/node/drain-promises.ts";
import { createNodeHost } from "../host/node/node-host.ts";
import { componentsOf } from "./component-list.ts";
import { ComponentTestbed } from "./component.testbed.ts";
import type { ControlPlaneOptions } from "./control-plane.ts";
import {
  type KubernetesProfile,
  kubernetesProfile,
  withoutTaintManager,
} from "./kubernetes-profile.ts";

const { digest } = createNodeHost("silent", () => {});
const engine = { digest, drain: drainPromises };
const namespace = "default";
const second = 1_000;
const involved = ["job-controller", "taint-eviction-controller", "node-lifecycle-controller"];
const as136 = kubernetesProfile(36);
const as116 = kubernetesProfile(16);

let bed: ComponentTestbed;
let renewals: { stop: () => void };

afterEach(async () => {
  renewals.stop();
  expect(bed.complaints).toEqual([]);
  await bed.stop();
});

/** One node that lives, one that does not. */
async function start(
  profile: KubernetesProfile,
  taints: NonNullable<Node["spec"]>["taints"],
  options: Partial<ControlPlaneOptions> = {},
): Promise<void> {
  const components = Object.fromEntries(
    componentsOf(profile).filter(([name]) => involved.includes(name)),
  );
  bed = await ComponentTestbed.start(31, engine, components, {
    ...options,
    profile,
  });
  const leases = bed.client.resource("leases.coordination.k8s.io");
  for (const name of ["alive", "dead"]) {
    const spec = name === "dead" && taints !== undefined ? { taints } : {};
    await bed.run(bed.client.resource("nodes").create({ metadata: { name }, spec }));
    await report(name, { type: "Ready", status: "True", reason: "KubeletReady" });
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

/** As a patch, because others write to the node, too. */
async function report(name: string, condition: NodeCondition): Promise<void> {
  const patch = { status: { conditions: [condition] } };
  const nodes = bed.client.resource("nodes");
  await bed.run(nodes.patch({ name }, { type: "merge", patch }, { subresource: "status" }));
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

async function podsPerSecondAfter(rampSeconds: number, seconds: number): Promise<number> {
  await bed.driver.advance(rampSeconds * second);
  const before = (await pods()).length;
  await bed.driver.advance(seconds * second);
  return ((await pods()).length - before) / seconds;
}

async function expectUnfailed(name: string): Promise<void> {
  const job = await bed.run(bed.client.resource("jobs.batch").get({ namespace, name }));
  expect(job.status?.failed).toBeUndefined();
  expect(await conditionsOf(name)).toEqual([]);
}

const untolerated = [{ key: "example.com/dead", effect: "NoExecute" }];

describe("variant A, a NoExecute taint that nobody tolerates", () => {
  it("stops at 7 pods today", async () => {
    await start(as136, untolerated);
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

  it.each([25, 28, 30])("stops at 7 pods and then fails under 1.%i", async (minor) => {
    await start(kubernetesProfile(minor), untolerated);
    const startMs = await run("seed");
    await bed.driver.advance(625 * second);
    expect(await conditionsOf("seed")).toEqual([]);
    await bed.driver.advance(35 * second);
    expectTimes(await madeAt(startMs), [0, 10, 30, 70, 150, 310, 630]);
    expect(await conditionsOf("seed")).toEqual(["Failed BackoffLimitExceeded"]);
    await bed.driver.advance(600 * second);
    expect(await pods()).toHaveLength(7);
  });

  // docs/decisions/0030-eviction-tokens.md. The node controller's client has 20 calls a second, first come first
  // served. Each Job waits for one deletion at a time, and one event at a time is written, however many wait.
  it.each([
    { minor: 16, jobs: ["first"], podsPerSecond: 10 },
    { minor: 16, jobs: ["first", "second"], podsPerSecond: 13.3 },
    // Since 1.24 a Job looks at what its pods did once a second.
    { minor: 24, jobs: ["first", "second"], podsPerSecond: 2 },
  ])(
    "loops at $podsPerSecond pods a second under 1.$minor with $jobs",
    async ({ minor, jobs, podsPerSecond }) => {
      await start(kubernetesProfile(minor), untolerated, { runawayOwnerLimit: 0 });
      for (const name of jobs) await run(name);
      expect(await podsPerSecondAfter(10, 30)).toBeCloseTo(podsPerSecond, 0);
      for (const name of jobs) await expectUnfailed(name);
      const { items } = await bed.run(bed.client.resource("events").list({ namespace }));
      const eviction = items.find(({ reason }) => reason === "TaintManagerEviction");
      expect(eviction?.source?.component).toBe("taint-controller");
    },
  );

  it("makes each sync of 1.16 look through all pods there are", async () => {
    await start(as116, untolerated, { runawayOwnerLimit: 0 });
    await run("seed");
    await bed.driver.advance(60 * second);
    const made = (await pods()).length;
    const { syncs, objectsScanned } = bed.manager.meter.of("job-controller");
    // At least one sync for each pod that came, over all that came before it.
    expect(syncs).toBeGreaterThanOrEqual(made - 1);
    expect(objectsScanned).toBeGreaterThan((made * (made - 1)) / 2);
  });

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

/** Such pods are told lost, and stay. */
const podOfDaemonSet: Pod = {
  metadata: {
    name: "agent",
    namespace,
    ownerReferences: [
      { apiVersion: "apps/v1", kind: "DaemonSet", name: "agent", uid: "u-1", controller: true },
    ],
  },
  spec: { nodeName: "dead", containers: [{ name: "c", image: "i" }] },
};

describe("variant B, a node that is away for long and no taint manager", () => {
  const withoutManager = withoutTaintManager(as116) ?? as116;

  // For each pod its status, its deletion and an event, and all events are written: 20 / 3.
  it.each([{ jobs: ["first"] }, { jobs: ["first", "second"] }])(
    "loops at 6.7 pods a second under 1.16 with $jobs",
    async ({ jobs }) => {
      await start(withoutManager, undefined, { runawayOwnerLimit: 0 });
      await bed.driver.advance(330 * second);
      const dead = await bed.run(bed.client.resource("nodes").get({ name: "dead" }));
      expect(dead.spec?.taints?.map(({ effect }) => effect)).toEqual(["NoSchedule"]);
      for (const name of jobs) await run(name);
      expect(await podsPerSecondAfter(10, 30)).toBeCloseTo(6.7, 0);
      for (const name of jobs) await expectUnfailed(name);
      const pod = (await pods()).find(({ metadata }) => metadata.deletionTimestamp != null);
      expect(pod?.status).toMatchObject({
        phase: "Pending",
        reason: "NodeLost",
        message: `Node dead which was running pod ${pod?.metadata.name} is unresponsive`,
      });
      const { items } = await bed.run(bed.client.resource("events").list({ namespace }));
      const told = items.find(({ reason }) => reason === "NodeControllerEviction");
      expect(told).toMatchObject({
        involvedObject: { kind: "Pod" },
        message: `Marking for deletion Pod ${told?.involvedObject.name} from Node dead`,
        source: { component: "node-controller" },
      });
    },
  );

  it("waits until the node was away for 5 minutes, and stops when it is back", async () => {
    await start(withoutManager, undefined, { runawayOwnerLimit: 0 });
    await run("seed");
    await bed.run(bed.client.resource("pods").create(podOfDaemonSet));
    // It died 100 s ago, as far as is known.
    await bed.driver.advance(190 * second);
    expect(await pods()).toHaveLength(2);
    await bed.driver.advance(30 * second);
    expect((await pods()).length).toBeGreaterThan(10);
    const agent = await bed.run(bed.client.resource("pods").get({ namespace, name: "agent" }));
    expect(agent.status?.reason).toBe("NodeLost");
    expect(agent.metadata.deletionTimestamp).toBeUndefined();
    const lastHeartbeatTime = "2030-01-01T00:00:00Z";
    await report("dead", { type: "Ready", status: "True", lastHeartbeatTime });
    await bed.driver.advance(10 * second);
    const before = (await pods()).length;
    await bed.driver.advance(20 * second);
    expect((await pods()).length).toBe(before);
  });
});

describe("variant C, the manifest as it was on a node that died", () => {
  it("stops at 7 pods today, 300 s later each", async () => {
    await start(as136, undefined);
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

  it("makes 12 pods an hour and Job under 1.16, for ever", async () => {
    await start(as116, undefined);
    const startMs = await run("first");
    await run("second");
    await bed.driver.advance(3_590 * second);
    const expected = Array.from({ length: 24 }, (_, at) => Math.floor(at / 2) * 300);
    expectTimes(await madeAt(startMs), expected);
    for (const name of ["first", "second"]) await expectUnfailed(name);
  });
});
