// CronJobs, finished Jobs' time to live, nodes that fall silent and pods that nobody clears away, as a user sees them.
import { afterEach, describe, expect, it } from "vitest";
import type { CronJobSpec, Job } from "../api/types/batch-v1.ts";
import type { Node, Pod } from "../api/types/core-v1.ts";
import type { Served } from "../client/served-object.ts";
import { createCronJobController } from "../controllers/cron-job/controller.ts";
import { createGarbageCollector } from "../controllers/garbage-collector/controller.ts";
import { createJobController } from "../controllers/job/controller.ts";
import { createNodeLifecycleController } from "../controllers/node-lifecycle/controller.ts";
import { createPodGarbageCollector } from "../controllers/pod-garbage-collector/controller.ts";
import { createTaintEvictionController } from "../controllers/taint-eviction/controller.ts";
import { createTtlAfterFinishedController } from "../controllers/ttl-after-finished/controller.ts";
import { drainPromises } from "../host/node/drain-promises.ts";
import { createNodeHost } from "../host/node/node-host.ts";
import type { ComponentFactory } from "../informer/component.ts";
import { ComponentTestbed } from "./component.testbed.ts";

const { digest } = createNodeHost("silent", () => {});
const namespace = "default";
const second = 1_000;
const minute = 60_000;
let bed: ComponentTestbed;

async function start(components: Record<string, ComponentFactory>): Promise<void> {
  bed = await ComponentTestbed.start(41, { digest, drain: drainPromises }, components);
  await bed.driver.advance(second);
}

afterEach(async () => {
  expect(bed.complaints).toEqual([]);
  await bed.stop();
});

const template = {
  metadata: {},
  spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] },
} as NonNullable<Job["spec"]>["template"];

async function jobs(): Promise<Served<Job>[]> {
  return (await bed.run(bed.client.resource("jobs.batch").list({ namespace }))).items;
}

async function pods(): Promise<Served<Pod>[]> {
  return (await bed.run(bed.client.resource("pods").list({ namespace }))).items;
}

async function succeed(): Promise<void> {
  for (const { metadata, status } of await pods())
    if (status?.phase === "Pending")
      await bed.run(
        bed.client
          .resource("pods")
          .patch(
            { namespace, name: metadata.name },
            { type: "merge", patch: { status: { phase: "Succeeded" } } },
            { subresource: "status" },
          ),
      );
  await bed.driver.advance(2 * second);
}

async function events(kind: string): Promise<string[]> {
  const { items } = await bed.run(bed.client.resource("events").list());
  return items
    .filter(({ involvedObject }) => involvedObject.kind === kind)
    .map(({ type, reason, message }) => `${type} ${reason} ${message}`);
}

describe("a CronJob", () => {
  async function make(spec: Partial<CronJobSpec>): Promise<void> {
    await start({
      "cronjob-controller": createCronJobController,
      "job-controller": createJobController,
      "generic-garbage-collector": createGarbageCollector,
    });
    const whole = {
      schedule: "* * * * *",
      jobTemplate: { metadata: {}, spec: { template } },
      ...spec,
    };
    await bed.run(
      bed.client
        .resource("cronjobs.batch")
        .create({ metadata: { name: "tick", namespace }, spec: whole }),
    );
  }
  const cronJob = () =>
    bed.run(bed.client.resource("cronjobs.batch").get({ namespace, name: "tick" }));

  it("starts a Job a minute and keeps the last three", async () => {
    await make({});
    await bed.driver.advance(10 * second);
    for (let turn = 0; turn < 5; turn++) {
      await bed.driver.advance(minute - 2 * second);
      await succeed();
    }
    const made = await jobs();
    expect(made).toHaveLength(3);
    const { status } = await cronJob();
    expect(status?.active).toBeUndefined();
    expect(Date.parse(status?.lastScheduleTime ?? "") % minute).toBe(0);
    expect(status?.lastSuccessfulTime).toBeDefined();
    const last = made.at(-1);
    expect(last?.metadata.name).toBe(`tick-${Date.parse(status?.lastScheduleTime ?? "") / minute}`);
    expect(last?.metadata.annotations).toMatchObject({
      "batch.kubernetes.io/cronjob-scheduled-timestamp": status?.lastScheduleTime,
    });
    const said = await events("CronJob");
    expect(said).toContain(`Normal SuccessfulCreate Created job ${last?.metadata.name}`);
    expect(said).toContain(
      `Normal SawCompletedJob Saw completed job: ${last?.metadata.name}, condition: Complete`,
    );
    expect(said.filter((one) => one.includes("UnexpectedJob"))).toEqual([]);
  });

  it("does not start beside a running Job when that is forbidden", async () => {
    await make({ concurrencyPolicy: "Forbid" });
    await bed.driver.advance(3 * minute);
    expect(await jobs()).toHaveLength(1);
    expect((await cronJob()).status?.active).toHaveLength(1);
    expect(await events("CronJob")).toContain(
      "Normal JobAlreadyActive Not starting job because prior execution is running and concurrency policy is Forbid",
    );
  });

  it("replaces a running Job when told so", async () => {
    await make({ concurrencyPolicy: "Replace" });
    await bed.driver.advance(2 * minute + 30 * second);
    expect(await jobs()).toHaveLength(1);
    expect(await pods()).toHaveLength(1);
  });
});

describe("ttlSecondsAfterFinished", () => {
  it("takes the Job and its pods after the time", async () => {
    await start({
      "job-controller": createJobController,
      "ttl-after-finished-controller": createTtlAfterFinishedController,
      "generic-garbage-collector": createGarbageCollector,
    });
    const spec = { template, ttlSecondsAfterFinished: 100 };
    await bed.run(
      bed.client.resource("jobs.batch").create({ metadata: { name: "j", namespace }, spec }),
    );
    await bed.driver.advance(2 * second);
    await succeed();
    await bed.driver.advance(90 * second);
    expect(await jobs()).toHaveLength(1);
    await bed.driver.advance(20 * second);
    expect(await jobs()).toEqual([]);
    expect(await pods()).toEqual([]);
  });
});

const conditions = [{ type: "Ready", status: "True", reason: "KubeletReady" }];

async function node(name: string, labels: Record<string, string> = {}): Promise<void> {
  const nodes = bed.client.resource("nodes");
  await bed.run(nodes.create({ metadata: { name, labels } }));
  const patch = { status: { conditions } };
  await bed.run(nodes.patch({ name }, { type: "merge", patch }, { subresource: "status" }));
}

async function beat(names: readonly string[]): Promise<void> {
  const lastHeartbeatTime = new Date(bed.simulated.host.clock.now())
    .toISOString()
    .replace(/\.\d+/, "");
  const patch = { status: { conditions: [{ ...conditions[0], lastHeartbeatTime }] } };
  for (const name of names)
    await bed.run(
      bed.client
        .resource("nodes")
        .patch({ name }, { type: "strategic", patch }, { subresource: "status" }),
    );
}

async function live(names: readonly string[], ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 10 * second) {
    await beat(names);
    await bed.driver.advance(Math.min(left, 10 * second));
  }
}

async function pod(name: string, nodeName: string | undefined): Promise<void> {
  const spec = {
    containers: [{ name: "c", image: "i" }],
    ...(nodeName === undefined ? {} : { nodeName }),
  } as Pod["spec"] & object;
  await bed.run(bed.client.resource("pods").create({ metadata: { name, namespace }, spec }));
}

async function taintsOf(name: string): Promise<string[]> {
  const { spec }: Node = await bed.run(bed.client.resource("nodes").get({ name }));
  return (spec?.taints ?? []).map(({ key, effect }) => `${key.split("/")[1]}:${effect}`).toSorted();
}

describe("a silent node", () => {
  const lifecycle = {
    "node-lifecycle-controller": createNodeLifecycleController,
    "taint-eviction-controller": createTaintEvictionController,
  };

  it("is tainted after 50 s, loses its pods after 300 s more, and is forgiven when it is back", async () => {
    await start(lifecycle);
    await node("a");
    await node("b");
    await pod("p", "b");
    await live(["a"], 40 * second);
    expect(await taintsOf("b")).toEqual([]);
    await live(["a"], 20 * second);
    expect(await taintsOf("b")).toEqual(["unreachable:NoExecute", "unreachable:NoSchedule"]);
    expect(await events("Node")).toContain(
      "Normal NodeNotReady Node b status is now: NodeNotReady",
    );
    await live(["a"], 280 * second);
    expect((await pods())[0]?.metadata.deletionTimestamp).toBeUndefined();
    await live(["a"], 40 * second);
    expect((await pods())[0]?.metadata.deletionTimestamp).toBeDefined();
    expect((await pods())[0]?.status?.conditions?.at(-1)).toMatchObject({
      type: "DisruptionTarget",
      reason: "DeletionByTaintManager",
    });
    await live(["a", "b"], 20 * second);
    expect(await taintsOf("b")).toEqual([]);
    expect(await taintsOf("a")).toEqual([]);
  });

  it("has its eviction called off when it is back in time", async () => {
    await start(lifecycle);
    await node("a");
    await node("b");
    await pod("p", "b");
    await live(["a"], 100 * second);
    await live(["a", "b"], 20 * second);
    expect(await events("Pod")).toContain(
      "Normal TaintManagerEviction Cancelling deletion of Pod default/p",
    );
    await live(["a", "b"], 400 * second);
    expect((await pods())[0]?.metadata.deletionTimestamp).toBeUndefined();
  });

  it("is not given up when all are silent: then we are the ones cut off", async () => {
    await start(lifecycle);
    await node("a");
    await node("b");
    await bed.driver.advance(100 * second);
    expect(await taintsOf("a")).toEqual(["unreachable:NoSchedule"]);
    expect(await taintsOf("b")).toEqual(["unreachable:NoSchedule"]);
  });

  it("waits its turn: one in 10 s of a zone", async () => {
    await start(lifecycle);
    const names = ["a", "b", "c", "d", "e", "f", "g"];
    for (const name of names) await node(name);
    const alive = names.slice(3);
    await live(alive, 60 * second);
    const given = async (): Promise<number> => {
      let count = 0;
      for (const name of names)
        if ((await taintsOf(name)).includes("unreachable:NoExecute")) count++;
      return count;
    };
    const first = await given();
    expect(first).toBeLessThanOrEqual(2);
    await live(alive, 30 * second);
    expect(await given()).toBe(3);
  });
});

describe("pod garbage", () => {
  it("of a node that is gone, or out of service, or never was", async () => {
    await start({ "pod-garbage-collector": createPodGarbageCollector });
    await node("a");
    await node("b");
    await pod("orphan", "gone");
    await pod("stays", "a");
    await pod("out", "b");
    await bed.run(bed.client.resource("pods").delete({ namespace, name: "out" }));
    await bed.driver.advance(30 * second);
    expect((await pods()).map(({ metadata }) => metadata.name)).toEqual(["orphan", "out", "stays"]);
    const taint = {
      key: "node.kubernetes.io/out-of-service",
      value: "nodeshutdown",
      effect: "NoExecute",
    };
    const nodes = bed.client.resource("nodes");
    await bed.run(
      nodes.patch({ name: "b" }, { type: "merge", patch: { spec: { taints: [taint] } } }),
    );
    const down = [{ type: "Ready", status: "False", reason: "KubeletNotReady" }];
    const fresh = await bed.run(nodes.get({ name: "b" }));
    await bed.run(nodes.updateStatus({ ...fresh, status: { conditions: down } }));
    const seen: string[] = [];
    const watch = await bed.run(bed.client.resource("pods").watch({ namespace }));
    const reading = (async () => {
      for await (const event of watch)
        if (event.type === "DELETED") {
          const { metadata, status } = event.object;
          seen.push(
            `${metadata.name} ${status?.phase} ${status?.conditions?.at(-1)?.reason ?? ""}`,
          );
        }
    })();
    await bed.driver.advance(60 * second);
    watch.stop();
    await bed.run(reading);
    expect((await pods()).map(({ metadata }) => metadata.name)).toEqual(["stays"]);
    expect(seen.toSorted()).toEqual(["orphan Failed DeletionByPodGC", "out Failed "]);
  });
});
