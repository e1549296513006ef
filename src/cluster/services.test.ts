// The controllers around Services, budgets, quotas and volumes against the real control plane on virtual time: what a
// user sees in the end. Pods get their place and their state from the test, through the API.
import { afterEach, describe, expect, it } from "vitest";
import type { Pod, Service } from "../api/types/core-v1.ts";
import type { Client } from "../client/client.ts";
import type { Served } from "../client/served-object.ts";
import type { Component } from "../informer/component.ts";
import { engine } from "../../test/simulation.ts";
import { componentsOf } from "./component-list.ts";
import { startControllerManager } from "./controller-manager.ts";
import { newestProfile } from "./kubernetes-profile.ts";
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
  "root-ca-cert-publisher",
  "service-account-controller",
];

interface PodOptions {
  readonly ip: string;
  readonly ready?: boolean;
  readonly spec?: object;
}

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
      components: componentsOf(newestProfile).filter(([name]) => started.includes(name)),
      reflector: newestProfile.reflector,
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

  async pod(name: string, options: PodOptions): Promise<void> {
    await this.run(this.#makePod(name, options));
  }

  /** All at once. */
  async pods(all: readonly (readonly [name: string, ip: string])[]): Promise<void> {
    await this.run(Promise.all(all.map(([name, ip]) => this.#makePod(name, { ip }))));
  }

  async setPod(name: string, options: PodOptions): Promise<void> {
    await this.run(this.#setPod(name, options));
  }

  async #makePod(name: string, options: PodOptions): Promise<void> {
    const ports = [{ name: "http", containerPort: 8080 }];
    const containers = [{ name: "c", image: "i", ports }];
    const spec = { nodeName: "n1", containers, ...options.spec };
    const metadata = { name, namespace, labels: { app: "web" } };
    await this.client.resource("pods").create({ metadata, spec });
    await this.#setPod(name, options);
  }

  async #setPod(name: string, { ip, ready = true }: PodOptions): Promise<void> {
    const conditions = [{ type: "Ready", status: ready ? "True" : "False" }];
    const status = { phase: "Running", podIP: ip, podIPs: [{ ip }], conditions };
    const patch = { type: "merge", patch: { status } } as const;
    const pods = this.client.resource("pods");
    await pods.patch({ namespace, name }, patch, { subresource: "status" });
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
    await bed.pods(names.map((name, i) => [name, `10.1.1.${i}`]));
    await bed.pass(5_000);
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

describe("a ResourceQuota", () => {
  const used = async () => {
    const quotas = bed.client.resource("resourcequotas");
    return (await bed.run(quotas.get({ namespace, name: "q" }))).status?.used;
  };
  const requests = { cpu: "500m", memory: "64Mi" };
  const spec = (extra: object = {}) => ({
    containers: [{ name: "c", image: "i", resources: { requests, limits: { cpu: "1" } } }],
    ...extra,
  });

  it("counts what there is, from before it and after", async () => {
    bed = await Bed.start(6);
    await bed.pod("a", { ip: "10.1.0.1", spec: spec() });
    const hard = {
      pods: "10",
      "count/pods": "10",
      cpu: "4",
      "requests.memory": "1Gi",
      "limits.cpu": "8",
      "services.nodeports": "2",
      services: "5",
      configmaps: "10",
      "count/deployments.apps": "3",
      "requests.storage": "10Gi",
      persistentvolumeclaims: "3",
      "slow.storageclass.storage.k8s.io/requests.storage": "5Gi",
    };
    const metadata = { name: "q", namespace };
    await bed.run(bed.client.resource("resourcequotas").create({ metadata, spec: { hard } }));
    await bed.pass(2_000);
    const none = {
      services: "1",
      "services.nodeports": "0",
      "count/deployments.apps": "0",
      "requests.storage": "0",
      persistentvolumeclaims: "0",
      "slow.storageclass.storage.k8s.io/requests.storage": "0",
    };
    const one = { pods: "1", "count/pods": "1", cpu: "500m", "requests.memory": "64Mi" };
    // The service kubernetes and the ConfigMap kube-root-ca.crt are everywhere.
    expect(await used()).toEqual({ ...none, ...one, "limits.cpu": "1", configmaps: "1" });

    await bed.pod("b", { ip: "10.1.0.2", spec: spec() });
    await bed.run(bed.client.resource("services").create(service({ type: "NodePort" })));
    const claims = bed.client.resource("persistentvolumeclaims");
    await bed.run(claims.create(claim("d", { storageClassName: "slow" })));
    await bed.pass(2_000);
    expect(await used()).toMatchObject({
      pods: "2",
      cpu: "1",
      "requests.memory": "128Mi",
      services: "2",
      "services.nodeports": "1",
      persistentvolumeclaims: "1",
      "requests.storage": "1Gi",
      "slow.storageclass.storage.k8s.io/requests.storage": "1Gi",
    });
    const pods = bed.client.resource("pods");
    const status = { phase: "Succeeded" };
    const finish = { type: "merge", patch: { status } } as const;
    await bed.run(pods.patch({ namespace, name: "a" }, finish, { subresource: "status" }));
    await bed.pass(2_000);
    expect(await used()).toMatchObject({ pods: "1", "count/pods": "2", cpu: "500m" });
  });

  it("is not exceeded by pods that come together, and takes back what went", async () => {
    bed = await Bed.start(9);
    const metadata = { name: "q", namespace };
    const quotas = bed.client.resource("resourcequotas");
    await bed.run(quotas.create({ metadata, spec: { hard: { pods: "3", cpu: "10" } } }));
    await bed.run(
      quotas.create({
        metadata: { name: "other", namespace },
        spec: { hard: { "count/pods": "9" } },
      }),
    );
    await bed.pass(2_000);
    const pods = bed.client.resource("pods");
    const create = (name: string) =>
      pods.create({ metadata: { name, namespace }, spec: spec() }).then(
        () => "made",
        (error: Error) => error.message,
      );
    const names = Array.from({ length: 12 }, (_, index) => `p-${index}`);
    const outcomes = await bed.run(Promise.all(names.map(create)));
    const refused = outcomes.filter((outcome) => outcome !== "made");
    expect(refused).toHaveLength(9);
    expect(refused[0]).toMatch(
      /^pods "p-\d+" is forbidden: exceeded quota: q, requested: pods=1, used: pods=3, limited: pods=3$/,
    );
    expect(await used()).toEqual({ pods: "3", cpu: "1500m" });
    const first = names.find((_, index) => outcomes[index] === "made") ?? "";
    await bed.run(pods.delete({ namespace, name: first }, { gracePeriodSeconds: 0 }));
    await bed.pass(2_000);
    expect(await used()).toEqual({ pods: "2", cpu: "1" });
    expect(await bed.run(create("again"))).toBe("made");
    expect(await bed.run(create("more"))).toContain("exceeded quota: q");
  });

  it("with scopes counts the pods that they mean", async () => {
    bed = await Bed.start(7);
    await bed.pod("a", { ip: "10.1.0.1", spec: spec() });
    await bed.pod("b", { ip: "10.1.0.2", spec: spec({ activeDeadlineSeconds: 60 }) });
    await bed.pod("c", { ip: "10.1.0.3" });
    const quotas = bed.client.resource("resourcequotas");
    const make = (name: string, scopes: string[]) =>
      bed.run(
        quotas.create({ metadata: { name, namespace }, spec: { hard: { pods: "5" }, scopes } }),
      );
    await make("terminating", ["Terminating"]);
    await make("best-effort", ["BestEffort"]);
    await make("both", ["NotTerminating", "NotBestEffort"]);
    await bed.pass(2_000);
    const { items } = await bed.run(quotas.list({ namespace }));
    expect(items.map(({ metadata, status }) => [metadata.name, status?.used])).toEqual([
      ["best-effort", { pods: "1" }],
      ["both", { pods: "1" }],
      ["terminating", { pods: "1" }],
    ]);
  });
});

function claim(name: string, spec: object = {}) {
  const resources = { requests: { storage: "1Gi" } };
  const accessModes = ["ReadWriteOnce"];
  return {
    metadata: { name, namespace },
    spec: { accessModes, resources, storageClassName: "", ...spec },
  };
}

function volume(name: string, size: string, spec: object = {}) {
  const accessModes = ["ReadWriteOnce"];
  const hostPath = { path: "/d" };
  return {
    metadata: { name },
    spec: { capacity: { storage: size }, accessModes, hostPath, ...spec },
  };
}

describe("a PersistentVolumeClaim", () => {
  const claims = () => bed.client.resource("persistentvolumeclaims");
  const volumes = () => bed.client.resource("persistentvolumes");
  const boundTo = async (name: string) => {
    const { spec, status } = await bed.run(claims().get({ namespace, name }));
    return [status?.phase, spec?.volumeName, status?.capacity?.["storage"]];
  };
  const phase = async (name: string) => (await bed.run(volumes().find({ name })))?.status?.phase;
  const said = async (name: string) => {
    const events = bed.client.resource("events");
    const fieldSelector = `involvedObject.name=${name}`;
    const { items } = await bed.run(events.list({ namespace, fieldSelector }));
    return items.map(({ reason }) => reason);
  };

  it("gets the smallest volume that suits it, and leaves it behind", async () => {
    bed = await Bed.start(8);
    for (const one of [volume("big", "5Gi"), volume("fit", "2Gi"), volume("small", "512Mi")])
      await bed.run(volumes().create(one));
    await bed.pass(2_000);
    await bed.run(claims().create(claim("c")));
    await bed.run(claims().create(claim("huge", { resources: { requests: { storage: "1Ti" } } })));
    await bed.pass(2_000);
    expect(await boundTo("c")).toEqual(["Bound", "fit", "2Gi"]);
    expect(await boundTo("huge")).toEqual(["Pending", undefined, undefined]);
    expect(await said("huge")).toEqual(["FailedBinding"]);
    expect([await phase("fit"), await phase("big")]).toEqual(["Bound", "Available"]);

    await bed.run(claims().delete({ namespace, name: "c" }));
    await bed.run(volumes().delete({ name: "big" }));
    await bed.pass(2_000);
    expect([await phase("fit"), await phase("big")]).toEqual(["Released", undefined]);
  });

  it("gets the volume it names, or that is reserved for it", async () => {
    bed = await Bed.start(9);
    await bed.run(volumes().create(volume("named", "9Gi")));
    await bed.run(
      volumes().create(volume("reserved", "8Gi", { claimRef: { namespace, name: "mine" } })),
    );
    await bed.run(volumes().create(volume("best", "1Gi")));
    await bed.run(claims().create(claim("a", { volumeName: "named" })));
    await bed.run(claims().create(claim("mine")));
    await bed.pass(2_000);
    expect(await boundTo("a")).toEqual(["Bound", "named", "9Gi"]);
    expect(await boundTo("mine")).toEqual(["Bound", "reserved", "8Gi"]);
    expect(await phase("best")).toBe("Available");
  });

  it("waits for its pod's node where its class says so, and stays while the pod uses it", async () => {
    bed = await Bed.start(10);
    const storageClass = {
      metadata: { name: "local" },
      provisioner: "kubernetes.io/no-provisioner",
      volumeBindingMode: "WaitForFirstConsumer",
    };
    await bed.run(bed.client.resource("storageclasses.storage.k8s.io").create(storageClass));
    const on = (zone: string) => ({
      storageClassName: "local",
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [
            {
              matchExpressions: [
                { key: "topology.kubernetes.io/zone", operator: "In", values: [zone] },
              ],
            },
          ],
        },
      },
    });
    await bed.run(volumes().create(volume("there", "1Gi", on("b"))));
    await bed.run(volumes().create(volume("here", "3Gi", on("a"))));
    await bed.run(claims().create(claim("c", { storageClassName: "local" })));
    await bed.pass(2_000);
    expect(await boundTo("c")).toEqual(["Pending", undefined, undefined]);
    expect(await said("c")).toEqual(["WaitForFirstConsumer"]);

    const uses = [{ name: "v", persistentVolumeClaim: { claimName: "c" } }];
    await bed.pod("p", { ip: "10.1.0.1", spec: { volumes: uses } });
    await bed.pass(2_000);
    expect(await boundTo("c")).toEqual(["Bound", "here", "3Gi"]);

    await bed.run(claims().delete({ namespace, name: "c" }));
    await bed.pass(2_000);
    expect(await boundTo("c")).toEqual(["Bound", "here", "3Gi"]);
    const now = { gracePeriodSeconds: 0 };
    await bed.run(bed.client.resource("pods").delete({ namespace, name: "p" }, now));
    await bed.pass(2_000);
    expect(await bed.run(claims().find({ namespace, name: "c" }))).toBeUndefined();
    expect(await phase("here")).toBe("Released");
  });
});

it("clears away the Leases of API servers that are gone", async () => {
  bed = await Bed.start(11);
  const leases = bed.client.resource("leases.coordination.k8s.io");
  const labels = { "apiserver.kubernetes.io/identity": "kube-apiserver" };
  const renewTime = new Date(bed.simulated.host.clock.now()).toISOString().replace("Z", "000Z");
  await bed.run(
    leases.create({
      metadata: { name: "apiserver-gone", namespace: "kube-system", labels },
      spec: { holderIdentity: "x", leaseDurationSeconds: 60, renewTime },
    }),
  );
  const names = async () => {
    const { items } = await bed.run(leases.list({ namespace: "kube-system" }));
    return items.map(({ metadata }) => metadata.name);
  };
  expect(await names()).toHaveLength(2);
  await bed.pass(61 * minute);
  expect(await names()).toEqual([expect.not.stringMatching("gone")]);
});

it("gives a namespace back what every namespace has", async () => {
  bed = await Bed.start(12);
  const accounts = bed.client.resource("serviceaccounts");
  const maps = bed.client.resource("configmaps");
  const before = await bed.run(maps.get({ namespace, name: "kube-root-ca.crt" }));
  await bed.run(accounts.delete({ namespace, name: "default" }));
  await bed.run(maps.delete({ namespace, name: "kube-root-ca.crt" }));
  await bed.pass(2_000);
  expect(await bed.run(accounts.find({ namespace, name: "default" }))).toBeDefined();
  const after = await bed.run(maps.get({ namespace, name: "kube-root-ca.crt" }));
  expect(after.data).toEqual(before.data);
  expect(after.metadata.uid).not.toBe(before.metadata.uid);
});
