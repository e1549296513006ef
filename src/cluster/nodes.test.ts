// Nodes and scheduler against the real control plane on virtual time, as a user would see it.
import { describe, expect, it } from "vitest";
import type { Event, Pod, PodSpec } from "../api/types/core-v1.ts";
import type { Client } from "../client/client.ts";
import type { Served } from "../client/served-object.ts";
import { drainPromises } from "../host/node/drain-promises.ts";
import { createNodeHost } from "../host/node/node-host.ts";
import type { Component } from "../informer/component.ts";
import { createNodeLifecycleController } from "../controllers/node-lifecycle/controller.ts";
import { nodeFleet } from "../kubelet/fleet.ts";
import { kubeletProfile } from "../kubelet/profile.ts";
import { schedulerProfile } from "../scheduler/profile.ts";
import { podScheduler } from "../scheduler/scheduler.ts";
import { startControllerManager } from "./controller-manager.ts";
import { newestProfile } from "./kubernetes-profile.ts";
import { SimulatedControlPlane } from "./simulated-control-plane.ts";

const { digest } = createNodeHost("silent", () => {});
const second = 1_000;
const minute = 60 * second;
const namespace = "default";

class Bed {
  readonly simulated: SimulatedControlPlane;
  readonly client: Client;
  #components: Component | undefined;

  private constructor(seed: number) {
    this.simulated = new SimulatedControlPlane(seed, { digest, drain: drainPromises });
    this.client = this.simulated.client("kubectl");
  }

  static async up(nodes: number): Promise<Bed> {
    const bed = new Bed(11);
    await bed.simulated.start();
    bed.startComponents(nodes);
    await bed.advance(2 * second);
    const account = { metadata: { name: "default", namespace } };
    const accounts = bed.client.resource("serviceaccounts");
    await bed.run(accounts.create(account).catch(() => undefined));
    return bed;
  }

  startComponents(nodes: number): void {
    const { host, transport } = this.simulated;
    this.#components = startControllerManager(host, transport, {
      components: [
        ["kubelet", nodeFleet({ nodes, profile: kubeletProfile, lead: () => {} })],
        ["kube-scheduler", podScheduler(schedulerProfile)],
        // New nodes are tainted until it has seen them ready.
        ["node-lifecycle-controller", createNodeLifecycleController],
      ],
      reflector: newestProfile.reflector,
      freeze: true,
    });
  }

  async stopComponents(): Promise<void> {
    await this.run(this.#components!.stop());
  }

  async down(): Promise<void> {
    await this.stopComponents();
    await this.simulated.stop();
    // Where there is one node, its silence is that of a whole zone.
    const isOdd = ({ level, message }: { level: string; message: string }): boolean =>
      level !== "info" && !message.includes("zone");
    expect(this.simulated.host.lines.filter(isOdd)).toEqual([]);
  }

  run<T>(promise: Promise<T>): Promise<T> {
    return this.simulated.driver.run(promise, 10 * minute);
  }

  advance(ms: number): Promise<void> {
    return this.simulated.driver.advance(ms);
  }

  create(
    name: string,
    spec: Partial<PodSpec> = {},
    annotations: Record<string, string> = {},
  ): Promise<Served<Pod>> {
    const containers = [{ name: "c", image: "nginx" }];
    const metadata = { name, namespace, annotations };
    return this.run(
      this.client.resource("pods").create({ metadata, spec: { containers, ...spec } }),
    );
  }

  find(name: string): Promise<Served<Pod> | undefined> {
    return this.run(this.client.resource("pods").find({ namespace, name }));
  }

  delete(name: string): Promise<void> {
    return this.run(this.client.resource("pods").delete({ namespace, name }));
  }

  annotate(name: string, annotations: Record<string, string | null>): Promise<unknown> {
    const patch = { metadata: { annotations } };
    return this.run(this.client.resource("nodes").patch({ name }, { type: "merge", patch }));
  }

  async events(name: string): Promise<string[]> {
    const { items } = await this.run(this.client.resource("events").list({ namespace }));
    return items
      .filter(({ involvedObject }) => involvedObject.name === name)
      .map(({ reason, message }: Event) => `${reason}: ${message}`);
  }
}

const cpu = (amount: string): PodSpec => ({
  containers: [{ name: "c", image: "nginx", resources: { requests: { cpu: amount } } }],
});

const conditions = (pod: Pod | undefined): string[] =>
  (pod?.status?.conditions ?? []).map(({ type, status }) => `${type}=${status}`).toSorted();

describe("simulated nodes", () => {
  it("register, and beat", async () => {
    const bed = await Bed.up(3);
    const { items } = await bed.run(bed.client.resource("nodes").list());
    expect(items.map(({ metadata }) => metadata.name).toSorted()).toEqual([
      "node-1",
      "node-2",
      "node-3",
    ]);
    expect(items[0]?.status?.allocatable?.["pods"]).toBe("110");
    const leases = bed.client.resource("leases.coordination.k8s.io");
    const ref = { namespace: "kube-node-lease", name: "node-2" };
    const renewals = new Set<string>();
    for (let beats = 0; beats < 6; beats++) {
      renewals.add((await bed.run(leases.get(ref))).spec?.renewTime ?? "");
      await bed.advance(10.5 * second);
    }
    expect(renewals.size).toBe(6);
    await bed.down();
  });

  it("run a pod from Pending to its deletion", async () => {
    const bed = await Bed.up(2);
    await bed.create(
      "web",
      { ...cpu("1"), terminationGracePeriodSeconds: 30 },
      { "wavetank.dev/stop-seconds": "5" },
    );
    await bed.advance(200);
    const creating = await bed.find("web");
    expect(creating?.status?.phase).toBe("Pending");
    expect(creating?.status?.containerStatuses?.[0]?.state?.waiting?.reason).toBe(
      "ContainerCreating",
    );
    await bed.advance(second);
    const running = await bed.find("web");
    expect(running?.status).toMatchObject({ phase: "Running", qosClass: "Burstable" });
    expect(running?.status?.podIP).toMatch(/^10\.128\.[01]\.1$/);
    expect(conditions(running)).toEqual([
      "ContainersReady=True",
      "Initialized=True",
      "PodReadyToStartContainers=True",
      "PodScheduled=True",
      "Ready=True",
    ]);
    const { resourceVersion } = running!.metadata;
    await bed.advance(10 * minute);
    expect((await bed.find("web"))?.metadata.resourceVersion).toBe(resourceVersion);
    await bed.delete("web");
    await bed.advance(4 * second);
    expect((await bed.find("web"))?.metadata.deletionGracePeriodSeconds).toBe(30);
    await bed.advance(2 * second);
    expect(await bed.find("web")).toBeUndefined();
    const nodeName = running?.spec?.nodeName ?? "";
    expect(await bed.events("web")).toEqual(
      expect.arrayContaining([
        `Scheduled: Successfully assigned default/web to ${nodeName}`,
        'Pulling: Pulling image "nginx"',
        "Created: Container created",
        "Started: Container started",
        "Killing: Stopping container c",
      ]),
    );
    await bed.down();
  });

  it("turn away what was bound to them past the scheduler", async () => {
    const bed = await Bed.up(1);
    await bed.create("first", { ...cpu("5"), nodeName: "node-1" });
    await bed.create("second", { ...cpu("4"), nodeName: "node-1" });
    await bed.advance(2 * second);
    expect((await bed.find("first"))?.status?.phase).toBe("Running");
    expect((await bed.find("second"))?.status).toMatchObject({
      phase: "Failed",
      reason: "OutOfcpu",
      message:
        "Pod was rejected: Node didn't have enough resource: cpu, requested: 4000, used: 5000, capacity: 8000",
    });
    await bed.down();
  });

  it("stay dead until they boot, and start containers anew", async () => {
    const bed = await Bed.up(1);
    await bed.create("web");
    await bed.advance(2 * second);
    await bed.annotate("node-1", { "wavetank.dev/power": "off" });
    await bed.create("late", { nodeName: "node-1" });
    await bed.delete("web");
    await bed.advance(5 * minute);
    expect((await bed.find("late"))?.status?.startTime).toBeUndefined();
    expect((await bed.find("web"))?.metadata.deletionTimestamp).toBeDefined();
    await bed.annotate("node-1", { "wavetank.dev/power": null });
    await bed.advance(2 * second);
    expect(await bed.find("web")).toBeUndefined();
    expect((await bed.find("late"))?.status?.phase).toBe("Running");
    await bed.annotate("node-1", { "wavetank.dev/reboot": "1" });
    await bed.advance(2 * second);
    const [status] = (await bed.find("late"))?.status?.containerStatuses ?? [];
    expect(status).toMatchObject({ restartCount: 1, ready: true });
    expect(status?.lastState?.terminated).toMatchObject({ exitCode: 255, reason: "Unknown" });
    await bed.down();
  });

  it("go on while they are cut off, and tell it afterwards", async () => {
    const bed = await Bed.up(1);
    await bed.create("job", { restartPolicy: "Never" }, { "wavetank.dev/run-seconds": "60" });
    await bed.create("web");
    await bed.advance(2 * second);
    await bed.annotate("node-1", { "wavetank.dev/network": "cut" });
    await bed.delete("web");
    await bed.advance(2 * minute);
    expect((await bed.find("job"))?.status?.phase).toBe("Running");
    await bed.annotate("node-1", { "wavetank.dev/network": null });
    await bed.advance(2 * second);
    const ended = (await bed.find("job"))?.status;
    expect(ended?.phase).toBe("Succeeded");
    const { startedAt, finishedAt } = ended?.containerStatuses?.[0]?.state?.terminated ?? {};
    expect(Date.parse(finishedAt ?? "") - Date.parse(startedAt ?? "")).toBe(minute);
    expect(await bed.find("web")).toBeUndefined();
    await bed.down();
  });

  it("beat late, and by a clock of their own, when told to", async () => {
    const bed = await Bed.up(1);
    await bed.annotate("node-1", {
      "wavetank.dev/heartbeat-seconds": "60",
      "wavetank.dev/clock-offset-seconds": "-3600",
    });
    const leases = bed.client.resource("leases.coordination.k8s.io");
    const ref = { namespace: "kube-node-lease", name: "node-1" };
    const renewals = new Set<number>();
    for (let at = 0; at < 25; at++) {
      await bed.advance(5 * second);
      const { spec } = await bed.run(leases.get(ref));
      renewals.add(Date.parse(spec?.renewTime ?? ""));
    }
    // Two minutes and a bit: at once, and then a minute apart.
    expect(renewals.size).toBeLessThanOrEqual(4);
    const behindMs = bed.simulated.host.clock.now() - Math.max(...renewals);
    expect(behindMs).toBeGreaterThanOrEqual(60 * minute);
    expect(behindMs).toBeLessThan(62 * minute);
    await bed.annotate("node-1", {
      "wavetank.dev/heartbeat-seconds": null,
      "wavetank.dev/clock-offset-seconds": null,
    });
    await bed.advance(second);
    const { spec } = await bed.run(leases.get(ref));
    expect(bed.simulated.host.clock.now() - Date.parse(spec?.renewTime ?? "")).toBeLessThan(
      2 * second,
    );
    await bed.down();
  });

  it("go on where they were after the process was restarted", async () => {
    const bed = await Bed.up(2);
    await bed.create("web");
    await bed.create("job", { restartPolicy: "Never" }, { "wavetank.dev/run-seconds": "60" });
    await bed.advance(5 * second);
    await bed.stopComponents();
    const before = await bed.find("web");
    await bed.advance(30 * second);
    bed.startComponents(2);
    await bed.advance(50 * second);
    expect((await bed.find("job"))?.status?.phase).toBe("Succeeded");
    expect((await bed.find("web"))?.status).toEqual(before?.status);
    await bed.down();
  });

  it("give no address twice that a pod has kept over a restart", async () => {
    const bed = await Bed.up(1);
    for (const name of ["a", "b"]) await bed.create(name);
    await bed.advance(5 * second);
    await bed.stopComponents();
    await bed.delete("a");
    for (const name of ["c", "d"]) await bed.create(name);
    bed.startComponents(1);
    await bed.advance(50 * second);
    const pods = [];
    for (const name of ["b", "c", "d"]) pods.push(await bed.find(name));
    expect(new Set(pods.map((pod) => pod?.status?.podIP)).size).toBe(3);
    await bed.down();
  });
});

describe("the scheduler", () => {
  it("says why a pod waits, and places it when there is room", async () => {
    const bed = await Bed.up(1);
    await bed.create("a", cpu("6"));
    await bed.advance(2 * second);
    await bed.create("b", cpu("6"));
    await bed.advance(2 * second);
    const message =
      "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.";
    const waiting = await bed.find("b");
    expect(waiting?.status?.conditions).toMatchObject([
      { type: "PodScheduled", status: "False", reason: "Unschedulable", message },
    ]);
    expect(await bed.events("b")).toEqual([`FailedScheduling: ${message}`]);
    await bed.delete("a");
    await bed.advance(5 * second);
    expect((await bed.find("b"))?.status?.phase).toBe("Running");
    await bed.down();
  });

  it("preempts for a pod that is more important", async () => {
    const bed = await Bed.up(1);
    const classes = bed.client.resource("priorityclasses.scheduling.k8s.io");
    await bed.run(classes.create({ metadata: { name: "high" }, value: 1_000 }));
    await bed.create("low", cpu("6"));
    await bed.advance(2 * second);
    const low = await bed.find("low");
    const high = await bed.create("high", { ...cpu("6"), priorityClassName: "high" });
    await bed.advance(10 * second);
    expect(await bed.find("low")).toBeUndefined();
    expect((await bed.find("high"))?.status?.phase).toBe("Running");
    expect(await bed.events("low")).toContain(
      `Preempted: Preempted by pod ${high.metadata.uid} on node ${low?.spec?.nodeName}`,
    );
    await bed.down();
  });

  it("leaves gated pods and those of other schedulers alone", async () => {
    const bed = await Bed.up(1);
    await bed.create("gated", { schedulingGates: [{ name: "example.com/gate" }] });
    await bed.create("foreign", { schedulerName: "other" });
    await bed.advance(10 * second);
    expect((await bed.find("gated"))?.spec?.nodeName).toBeUndefined();
    expect((await bed.find("foreign"))?.spec?.nodeName).toBeUndefined();
    const patch = { spec: { schedulingGates: null } };
    const pods = bed.client.resource("pods");
    await bed.run(pods.patch({ namespace, name: "gated" }, { type: "merge", patch }));
    await bed.advance(2 * second);
    expect((await bed.find("gated"))?.status?.phase).toBe("Running");
    await bed.down();
  });

  it("spreads many pods and never overcommits", async () => {
    const bed = await Bed.up(4);
    for (let i = 0; i < 40; i++) await bed.create(`p-${i}`, cpu("1"));
    await bed.advance(10 * second);
    const { items } = await bed.run(bed.client.resource("pods").list({ namespace }));
    const perNode = new Map<string, number>();
    for (const { spec } of items)
      perNode.set(spec?.nodeName ?? "", (perNode.get(spec?.nodeName ?? "") ?? 0) + 1);
    expect(Object.fromEntries(perNode)).toEqual({
      "": 8,
      "node-1": 8,
      "node-2": 8,
      "node-3": 8,
      "node-4": 8,
    });
    await bed.down();
  });
});
