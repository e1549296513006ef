// The controllers around Services, budgets, quotas and volumes against the real control plane on virtual time: what a
// user sees in the end. Pods get their place and their state from the test, through the API.
import { afterEach, describe, expect, it } from "vitest";
import type { Pod, Service } from "../api/types/core-v1.ts";
import type { Client } from "../client/client.ts";
import type { Served } from "../client/served-object.ts";
import type { Component } from "../informer/component.ts";
import { engine } from "../../test/simulation.ts";
import { components } from "./component-list.ts";
import { startControllerManager } from "./controller-manager.ts";
import { SimulatedControlPlane } from "./simulated-control-plane.ts";

const namespace = "default";
const minute = 60_000;

const started = [
  "deployment-controller",
  "disruption-controller",
  "endpoint-controller",
  "endpointslice-controller",
  "persistent-volume-binder",
  "pv-protection-controller",
  "pvc-protection-controller",
  "replicaset-controller",
  "resourcequota-controller",
  "lease-garbage-collector",
];

class Bed {
  readonly simulated: SimulatedControlPlane;
  readonly client: Client;
  #controllers: Component | undefined;

  private constructor(simulated: SimulatedControlPlane) {
    this.simulated = simulated;
    this.client = simulated.client("test");
  }

  static async start(seed: number): Promise<Bed> {
    const simulated = new SimulatedControlPlane(seed, engine);
    await simulated.start();
    const bed = new Bed(simulated);
    bed.startControllers();
    await bed.run(bed.client.resource("nodes").create(node("n1", "a")));
    return bed;
  }

  startControllers(): void {
    this.#controllers = startControllerManager(this.simulated.host, this.simulated.transport, {
      components: components.filter(([name]) => started.includes(name)),
      freeze: true,
    });
  }

  async stop(): Promise<void> {
    if (this.#controllers !== undefined) await this.run(this.#controllers.stop());
    await this.simulated.stop();
  }

  run<T>(promise: Promise<T>): Promise<T> {
    return this.simulated.driver.run(promise, 10 * minute);
  }

  pass(ms: number): Promise<void> {
    return this.simulated.driver.advance(ms);
  }

  async pod(name: string, options: { ip: string; ready?: boolean; spec?: object }): Promise<void> {
    const spec = {
      nodeName: "n1",
      containers: [{ name: "c", image: "i", ports: [{ name: "http", containerPort: 8080 }] }],
      ...options.spec,
    };
    const metadata = { name, namespace, labels: { app: "web" } };
    await this.run(this.client.resource("pods").create({ metadata, spec }));
    await this.setPod(name, options);
  }

  async setPod(name: string, { ip, ready = true }: { ip: string; ready?: boolean }): Promise<void> {
    const status = {
      phase: "Running",
      podIP: ip,
      podIPs: [{ ip }],
      conditions: [{ type: "Ready", status: ready ? "True" : "False" }],
    };
    const patch = { type: "merge", patch: { status } } as const;
    const pods = this.client.resource("pods");
    await this.run(pods.patch({ namespace, name }, patch, { subresource: "status" }));
  }

  async endpoints(): Promise<string> {
    const found = await this.run(this.client.resource("endpoints").get({ namespace, name: "web" }));
    const ips = (list: { ip: string }[] = []) => list.map(({ ip }) => ip).join();
    return (found.subsets ?? [])
      .map(({ addresses, notReadyAddresses, ports = [] }) =>
        [`${ips(addresses)}/${ips(notReadyAddresses)}`, ...ports.map(({ port }) => port)].join(":"),
      )
      .join(" ");
  }

  async slices(): Promise<{ name: string; ports: number[]; endpoints: string[] }[]> {
    const slices = this.client.resource("endpointslices.discovery.k8s.io");
    const labelSelector =
      "kubernetes.io/service-name=web,endpointslice.kubernetes.io/managed-by=endpointslice-controller.k8s.io";
    const { items } = await this.run(slices.list({ namespace, labelSelector }));
    return items.map(({ metadata, ports, endpoints }) => ({
      name: metadata.name,
      ports: (ports ?? []).map(({ port = 0 }) => port),
      endpoints: (endpoints ?? []).map(({ addresses = [], conditions = {}, targetRef, zone }) => {
        const { ready, serving, terminating } = conditions;
        const flags = [ready && "ready", serving && "serving", terminating && "terminating"];
        return [targetRef?.name, addresses[0], zone, ...flags].filter(Boolean).join(" ");
      }),
    }));
  }
}

let bed: Bed;
afterEach(() => bed.stop());

function node(name: string, zone: string) {
  return { metadata: { name, labels: { "topology.kubernetes.io/zone": zone } } };
}

function service(spec: Service["spec"] = {}): Service {
  return {
    metadata: { name: "web", namespace, labels: { team: "x" } },
    spec: {
      selector: { app: "web" },
      ports: [{ port: 80, targetPort: "http" }],
      ...spec,
    },
  };
}

describe("a Service", () => {
  it("has its pods as endpoints, in the state they are in", async () => {
    bed = await Bed.start(1);
    const services = bed.client.resource("services");
    await bed.run(services.create(service()));
    await bed.pass(5_000);
    expect(await bed.endpoints()).toBe("");
    expect(await bed.slices()).toEqual([
      { name: expect.stringMatching(/^web-/), ports: [], endpoints: [] },
    ]);

    await bed.pod("a", { ip: "10.1.0.1" });
    await bed.pod("b", { ip: "10.1.0.2", ready: false });
    await bed.pass(5_000);
    expect(await bed.endpoints()).toBe("10.1.0.1/10.1.0.2:8080");
    const before = await bed.slices();
    expect(before).toMatchObject([
      { ports: [8080], endpoints: ["a 10.1.0.1 a ready serving", "b 10.1.0.2 a"] },
    ]);

    await bed.setPod("b", { ip: "10.1.0.2" });
    await bed.run(bed.client.resource("pods").delete({ namespace, name: "a" }));
    await bed.pass(5_000);
    expect(await bed.endpoints()).toBe("10.1.0.2/:8080");
    expect(await bed.slices()).toEqual([
      {
        ...before[0],
        endpoints: ["a 10.1.0.1 a serving terminating", "b 10.1.0.2 a ready serving"],
      },
    ]);

    await bed.run(services.delete({ namespace, name: "web" }));
    await bed.pass(5_000);
    const gone = bed.client.resource("endpoints").find({ namespace, name: "web" });
    expect(await bed.run(gone)).toBeUndefined();
  });

  it("publishes addresses that are not ready when it says so", async () => {
    bed = await Bed.start(2);
    const spec = { clusterIP: "None", publishNotReadyAddresses: true };
    await bed.run(bed.client.resource("services").create(service(spec)));
    await bed.pod("a", { ip: "10.1.0.1", ready: false });
    await bed.pass(5_000);
    expect(await bed.endpoints()).toBe("10.1.0.1/:8080");
    expect(await bed.slices()).toMatchObject([{ endpoints: ["a 10.1.0.1 a ready"] }]);
  });

  it("of 250 pods has three slices, and one write for one pod that changes", async () => {
    bed = await Bed.start(3);
    const names = Array.from({ length: 250 }, (_, i) => `p${i}`);
    for (const [i, name] of names.entries()) await bed.pod(name, { ip: `10.1.1.${i}` });
    await bed.run(bed.client.resource("services").create(service()));
    await bed.pass(20_000);
    const sizes = async () => (await bed.slices()).map(({ endpoints }) => endpoints.length);
    expect((await sizes()).toSorted()).toEqual([100, 100, 50]);
    const slices = bed.client.resource("endpointslices.discovery.k8s.io");
    const revisions = async () =>
      (await bed.run(slices.list({ namespace }))).items.map((one) => one.metadata.resourceVersion);
    const before = await revisions();
    await bed.setPod("p7", { ip: "10.1.1.7", ready: false });
    await bed.pass(20_000);
    const after = await revisions();
    expect(after.filter((one) => !before.includes(one))).toHaveLength(1);
  });
});

describe("a PodDisruptionBudget", () => {
  const budgetOf = (spec: object) => ({
    metadata: { name: "web", namespace },
    spec: { selector: { matchLabels: { app: "web" } }, ...spec },
  });
  const budgets = () => bed.client.resource("poddisruptionbudgets.policy");
  const evict = (name: string) =>
    bed.run(
      bed.client
        .resource("pods")
        .createSubresource({ namespace, name }, "eviction", { metadata: { name, namespace } }),
    );

  /** Makes every pod of the Deployment ready. */
  async function makeReady(): Promise<void> {
    const { items } = await bed.run(bed.client.resource("pods").list({ namespace }));
    for (const [i, pod] of items.entries())
      await bed.setPod(pod.metadata.name, { ip: `10.1.0.${i + 1}` });
    await bed.pass(2_000);
  }

  async function deployment(replicas: number): Promise<Served<Pod>[]> {
    const labels = { app: "web" };
    const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } };
    const spec = { replicas, selector: { matchLabels: labels }, template };
    const metadata = { name: "web", namespace };
    await bed.run(bed.client.resource("deployments.apps").create({ metadata, spec }));
    await bed.pass(5_000);
    await makeReady();
    return (await bed.run(bed.client.resource("pods").list({ namespace }))).items;
  }

  it("counts what its pods' owners want, and lets one after the other go", async () => {
    bed = await Bed.start(4);
    const [first, second] = await deployment(4);
    await bed.run(budgets().create(budgetOf({ maxUnavailable: "25%" })));
    await bed.pass(2_000);
    const status = async () => (await bed.run(budgets().get({ namespace, name: "web" }))).status;
    expect(await status()).toMatchObject({
      observedGeneration: 1,
      expectedPods: 4,
      desiredHealthy: 3,
      currentHealthy: 4,
      disruptionsAllowed: 1,
      conditions: [{ type: "DisruptionAllowed", status: "True", reason: "SufficientPods" }],
    });
    await evict(first!.metadata.name);
    await expect(evict(second!.metadata.name)).rejects.toMatchObject({
      code: 429,
      status: {
        details: {
          causes: [
            { message: "The disruption budget web needs 3 healthy pods and has 3 currently" },
          ],
        },
      },
    });
    await bed.pass(5_000);
    expect(await status()).toMatchObject({ disruptionsAllowed: 0, currentHealthy: 3 });
    await makeReady();
    expect(await status()).toMatchObject({ disruptionsAllowed: 1, currentHealthy: 4 });
    await evict(second!.metadata.name);
  });

  it("with maxUnavailable 0 lets none go", async () => {
    bed = await Bed.start(5);
    const [first] = await deployment(2);
    await bed.run(budgets().create(budgetOf({ maxUnavailable: 0 })));
    await bed.pass(2_000);
    await expect(evict(first!.metadata.name)).rejects.toMatchObject({ code: 429 });
  });
});
