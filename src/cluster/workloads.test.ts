// Workload controllers against the real control plane on virtual time, with a kubelet of a few lines that makes pods
// ready and lets deleted ones go: what a user sees in the end.
import { afterEach, describe, expect, it } from "vitest";
import type { DaemonSet, Deployment, StatefulSet } from "../api/types/apps-v1.ts";
import type { Pod, Taint } from "../api/types/core-v1.ts";
import type { Client } from "../client/client.ts";
import { type Served, refOf } from "../client/served-object.ts";
import { drainPromises } from "../host/node/drain-promises.ts";
import { createNodeHost } from "../host/node/node-host.ts";
import type { Component } from "../informer/component.ts";
import { InformerSet } from "../informer/informer-set.ts";
import { clientGoProfile } from "../informer/reflector-profile.ts";
import { reasonOf } from "../client/reason.ts";
import { componentsOf } from "./component-list.ts";
import { startControllerManager } from "./controller-manager.ts";
import { newestProfile } from "./kubernetes-profile.ts";
import { SimulatedControlPlane } from "./simulated-control-plane.ts";

const { digest } = createNodeHost("silent", () => {});
const namespace = "default";
const minute = 60_000;

/** Images with this in their name never become ready. */
const brokenImage = "broken";
const workloadComponents = new Set([
  "deployment-controller",
  "replicaset-controller",
  "replication-controller",
  "statefulset-controller",
  "daemon-set-controller",
]);

class Bed {
  readonly simulated: SimulatedControlPlane;
  readonly client: Client;
  readonly #kubelet: InformerSet;
  #controllers: Component | undefined;

  private constructor(simulated: SimulatedControlPlane) {
    this.simulated = simulated;
    this.client = simulated.client("test");
    this.#kubelet = new InformerSet(simulated.host, simulated.client("kubelet"), {
      profile: clientGoProfile,
      freeze: true,
    });
  }

  static async start(seed: number): Promise<Bed> {
    const simulated = new SimulatedControlPlane(seed, { digest, drain: drainPromises });
    await simulated.start();
    const bed = new Bed(simulated);
    bed.#kubelet.of("pods").addHandler((change) => {
      if (change.type !== "deleted") void bed.#keep(change.object);
    });
    bed.#kubelet.start();
    bed.startControllers();
    return bed;
  }

  startControllers(): void {
    this.#controllers = startControllerManager(this.simulated.host, this.simulated.transport, {
      components: componentsOf(newestProfile).filter(([name]) => workloadComponents.has(name)),
      reflector: newestProfile.reflector,
      freeze: true,
    });
  }

  async stopControllers(): Promise<void> {
    if (this.#controllers !== undefined) await this.run(this.#controllers.stop());
    this.#controllers = undefined;
  }

  run<T>(promise: Promise<T>): Promise<T> {
    return this.simulated.driver.run(promise, 10 * minute);
  }

  pass(ms: number): Promise<void> {
    return this.simulated.driver.advance(ms);
  }

  async pods(labelSelector = ""): Promise<Served<Pod>[]> {
    const page = await this.run(this.client.resource("pods").list({ namespace, labelSelector }));
    return page.items;
  }

  async events(kind: string): Promise<string[]> {
    const page = await this.run(this.client.resource("events").list({ namespace }));
    return page.items
      .filter(({ involvedObject }) => involvedObject.kind === kind)
      .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
      .map(({ reason, message }) => `${reason}: ${message}`);
  }

  async stop(): Promise<void> {
    await this.stopControllers();
    await this.run(this.#kubelet.stop());
    await this.simulated.stop();
  }

  /** One second to start, none to stop. */
  async #keep(pod: Readonly<Served<Pod>>): Promise<void> {
    const pods = this.client.resource("pods");
    try {
      if (typeof pod.metadata.deletionTimestamp === "string")
        return await pods.delete(refOf(pod), { gracePeriodSeconds: 0 });
      if (pod.status?.phase !== "Pending") return;
      const image = pod.spec?.containers?.[0]?.image ?? "";
      if (image.includes(brokenImage)) return;
      await new Promise<void>((resolve) => this.simulated.host.clock.after(1_000, resolve));
      const lastTransitionTime = new Date(this.simulated.host.clock.now())
        .toISOString()
        .replace(/\.\d+/, "");
      const conditions = [{ type: "Ready", status: "True", lastTransitionTime }];
      const patch = { status: { phase: "Running", conditions } };
      await pods.patch(refOf(pod), { type: "merge", patch }, { subresource: "status" });
    } catch (error) {
      if (reasonOf(error) !== "NotFound") throw error;
    }
  }
}

let bed: Bed;
afterEach(() => bed.stop());

function deployment(
  name: string,
  replicas: number,
  more: Partial<Deployment["spec"]> = {},
): Deployment {
  return {
    metadata: { name, namespace },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: "web", image: "web:1" }] },
      },
      ...more,
    },
  };
}

async function setImage(name: string, image: string): Promise<void> {
  const containers = [{ name: "web", image }];
  const patch = { spec: { template: { spec: { containers } } } };
  const ref = { namespace, name };
  await bed.run(bed.client.resource("deployments.apps").patch(ref, { type: "strategic", patch }));
}

async function patchDeployment(name: string, spec: object): Promise<void> {
  const ref = { namespace, name };
  const deployments = bed.client.resource("deployments.apps");
  await bed.run(deployments.patch(ref, { type: "merge", patch: { spec } }));
}

const namesOf = (objects: readonly { metadata: { name?: string } }[]): string[] =>
  objects.map(({ metadata }) => metadata.name ?? "").toSorted();
const conditionsOf = (
  status: { conditions?: { type: string; status: string; reason?: string }[] } | undefined,
): string[] =>
  (status?.conditions ?? []).map(({ type, status, reason }) => `${type}=${status} ${reason}`);
const imagesOf = (pods: readonly Pod[]): string[] =>
  pods.map(({ spec }) => spec?.containers?.[0]?.image ?? "").toSorted();

describe("a Deployment", () => {
  const get = (name: string) =>
    bed.run(bed.client.resource("deployments.apps").get({ namespace, name }));
  const sets = async () =>
    (await bed.run(bed.client.resource("replicasets.apps").list({ namespace }))).items;

  it("rolls out, updates within its bounds, and goes back", async () => {
    bed = await Bed.start(1);
    await bed.run(bed.client.resource("deployments.apps").create(deployment("web", 4)));
    await bed.pass(10_000);
    expect((await get("web")).status).toMatchObject({
      observedGeneration: 1,
      replicas: 4,
      updatedReplicas: 4,
      readyReplicas: 4,
      availableReplicas: 4,
    });
    await setImage("web", "web:2");
    await bed.pass(30_000);
    expect(imagesOf(await bed.pods())).toEqual(["web:2", "web:2", "web:2", "web:2"]);
    const updated = await get("web");
    expect(updated.metadata.annotations?.["deployment.kubernetes.io/revision"]).toBe("2");
    expect(
      updated.status?.conditions?.map(({ type, status, reason }) => [type, status, reason]),
    ).toEqual([
      ["Available", "True", "MinimumReplicasAvailable"],
      ["Progressing", "True", "NewReplicaSetAvailable"],
    ]);
    await setImage("web", "web:1");
    await bed.pass(30_000);
    expect(imagesOf(await bed.pods())).toEqual(["web:1", "web:1", "web:1", "web:1"]);
    const [first, second] = (await sets()).toSorted(
      (a, b) => (b.spec?.replicas ?? 0) - (a.spec?.replicas ?? 0),
    );
    expect(first?.metadata.annotations).toMatchObject({
      "deployment.kubernetes.io/revision": "3",
      "deployment.kubernetes.io/revision-history": "1",
    });
    expect(second?.status?.replicas).toBe(0);
    const [one, two] = [first?.metadata.name, second?.metadata.name];
    expect((await bed.events("Deployment")).slice(0, 7)).toEqual([
      `ScalingReplicaSet: Scaled up replica set ${one} from 0 to 4`,
      `ScalingReplicaSet: Scaled up replica set ${two} from 0 to 1`,
      `ScalingReplicaSet: Scaled down replica set ${one} from 4 to 3`,
      `ScalingReplicaSet: Scaled up replica set ${two} from 1 to 2`,
      expect.any(String),
      expect.any(String),
      expect.any(String),
    ]);
  });

  it("replaces all at once when it recreates", async () => {
    bed = await Bed.start(2);
    const strategy = { type: "Recreate" };
    await bed.run(
      bed.client.resource("deployments.apps").create(deployment("web", 3, { strategy })),
    );
    await bed.pass(10_000);
    await setImage("web", "web:2");
    await bed.pass(20_000);
    expect(imagesOf(await bed.pods())).toEqual(["web:2", "web:2", "web:2"]);
    const [old, fresh] = (await sets()).toSorted(
      (a, b) => (a.spec?.replicas ?? 0) - (b.spec?.replicas ?? 0),
    );
    expect(await bed.events("Deployment")).toEqual([
      `ScalingReplicaSet: Scaled up replica set ${old?.metadata.name} from 0 to 3`,
      `ScalingReplicaSet: Scaled down replica set ${old?.metadata.name} from 3 to 0`,
      `ScalingReplicaSet: Scaled up replica set ${fresh?.metadata.name} from 0 to 3`,
    ]);
  });

  it("stops at a revision that never gets ready, tells so, and scales in proportion", async () => {
    bed = await Bed.start(3);
    const more = {
      progressDeadlineSeconds: 60,
      strategy: { rollingUpdate: { maxSurge: 3, maxUnavailable: 2 } },
    };
    await bed.run(bed.client.resource("deployments.apps").create(deployment("web", 10, more)));
    await bed.pass(10_000);
    await setImage("web", "broken:2");
    await bed.pass(90_000);
    const stuck = await get("web");
    expect(stuck.status).toMatchObject({
      replicas: 13,
      updatedReplicas: 5,
      availableReplicas: 8,
      unavailableReplicas: 5,
    });
    expect(conditionsOf(stuck.status)).toEqual([
      "Available=True MinimumReplicasAvailable",
      "Progressing=False ProgressDeadlineExceeded",
    ]);
    // The example of the Kubernetes documentation: of 5 more, 3 go to the old one and 2 to the new one.
    await patchDeployment("web", { replicas: 15 });
    await bed.pass(10_000);
    const sizes = (await sets()).map(({ spec }) => spec?.replicas).toSorted();
    expect(sizes).toEqual([11, 7]);
    await setImage("web", "web:1");
    await bed.pass(60_000);
    expect(imagesOf(await bed.pods())).toEqual(Array.from({ length: 15 }, () => "web:1"));
    expect(conditionsOf((await get("web")).status)).toEqual([
      "Available=True MinimumReplicasAvailable",
      "Progressing=True NewReplicaSetAvailable",
    ]);
  });

  it("does nothing with a new template while paused, but scales", async () => {
    bed = await Bed.start(4);
    await bed.run(bed.client.resource("deployments.apps").create(deployment("web", 2)));
    await bed.pass(10_000);
    await patchDeployment("web", { paused: true });
    await setImage("web", "web:2");
    await patchDeployment("web", { replicas: 3 });
    await bed.pass(10_000);
    expect(imagesOf(await bed.pods())).toEqual(["web:1", "web:1", "web:1"]);
    expect(conditionsOf((await get("web")).status)).toContain(
      "Progressing=Unknown DeploymentPaused",
    );
    await patchDeployment("web", { paused: false });
    await bed.pass(20_000);
    expect(imagesOf(await bed.pods())).toEqual(["web:2", "web:2", "web:2"]);
  });

  it("keeps as many old revisions as it is told", async () => {
    bed = await Bed.start(5);
    await bed.run(
      bed.client
        .resource("deployments.apps")
        .create(deployment("web", 1, { revisionHistoryLimit: 1 })),
    );
    for (const image of ["web:2", "web:3", "web:4"]) {
      await bed.pass(10_000);
      await setImage("web", image);
    }
    await bed.pass(20_000);
    const revisions = (await sets()).map(
      ({ metadata }) => metadata.annotations?.["deployment.kubernetes.io/revision"],
    );
    expect(revisions.toSorted()).toEqual(["3", "4"]);
  });

  it("comes out right although its controllers stop again and again", async () => {
    bed = await Bed.start(6);
    await bed.run(bed.client.resource("deployments.apps").create(deployment("web", 6)));
    for (const image of ["web:2", "web:3", "web:2"]) {
      for (const ms of [40, 700, 1_300, 90]) {
        await bed.pass(ms);
        await bed.stopControllers();
        bed.startControllers();
      }
      await setImage("web", image);
    }
    await bed.pass(60_000);
    expect(imagesOf(await bed.pods())).toEqual(Array.from({ length: 6 }, () => "web:2"));
    expect((await get("web")).status).toMatchObject({
      replicas: 6,
      updatedReplicas: 6,
      availableReplicas: 6,
    });
    expect((await sets()).map(({ status }) => status?.replicas).toSorted()).toEqual([0, 0, 6]);
  });
});

describe("a ReplicaSet", () => {
  const template = {
    metadata: { labels: { app: "rs" } },
    spec: { containers: [{ name: "c", image: "web:1" }] },
  };
  const replicaSet = (replicas: number) => ({
    metadata: { name: "rs", namespace },
    spec: { replicas, selector: { matchLabels: { app: "rs" } }, template },
  });

  it("adopts what its selector finds, lets go what it no longer finds, and deletes the newest", async () => {
    bed = await Bed.start(7);
    const pods = bed.client.resource("pods");
    const sets = bed.client.resource("replicasets.apps");
    await bed.run(
      pods.create({
        metadata: { ...template.metadata, name: "mine", namespace },
        spec: template.spec,
      }),
    );
    await bed.pass(5_000);
    await bed.run(sets.create(replicaSet(3)));
    await bed.pass(5_000);
    const all = await bed.pods("app=rs");
    expect(all).toHaveLength(3);
    expect(namesOf(all)).toContain("mine");
    expect(all.every(({ metadata }) => metadata.ownerReferences?.[0]?.name === "rs")).toBe(true);
    const released = namesOf(all).find((name) => name !== "mine");
    const patch = { metadata: { labels: { app: "other" } } };
    await bed.run(pods.patch({ namespace, name: released ?? "" }, { type: "merge", patch }));
    await bed.pass(5_000);
    expect(await bed.pods("app=rs")).toHaveLength(3);
    const [free] = await bed.pods("app=other");
    expect(free?.metadata.ownerReferences).toBeUndefined();
    const cheap = {
      metadata: { annotations: { "controller.kubernetes.io/pod-deletion-cost": "-1" } },
    };
    await bed.run(pods.patch({ namespace, name: "mine" }, { type: "merge", patch: cheap }));
    await bed.run(
      sets.patch({ namespace, name: "rs" }, { type: "merge", patch: { spec: { replicas: 2 } } }),
    );
    await bed.pass(5_000);
    expect(namesOf(await bed.pods("app=rs"))).not.toContain("mine");
    const set = await bed.run(sets.get({ namespace, name: "rs" }));
    expect(set.status).toMatchObject({
      replicas: 2,
      fullyLabeledReplicas: 2,
      readyReplicas: 2,
      availableReplicas: 2,
    });
    expect((await bed.events("ReplicaSet")).at(-1)).toBe("SuccessfulDelete: Deleted pod: mine");
  });

  it("tells what keeps it from making pods", async () => {
    bed = await Bed.start(8);
    const sets = bed.client.resource("replicasets.apps");
    const spec = { ...template.spec, serviceAccountName: "nobody" };
    const set = replicaSet(2);
    await bed.run(sets.create({ ...set, spec: { ...set.spec, template: { ...template, spec } } }));
    await bed.pass(5_000);
    const { status } = await bed.run(sets.get({ namespace, name: "rs" }));
    expect(status?.conditions?.[0]).toMatchObject({
      type: "ReplicaFailure",
      status: "True",
      reason: "FailedCreate",
      message: expect.stringContaining('serviceaccount "nobody" not found'),
    });
  });

  it("is what a ReplicationController is, too", async () => {
    bed = await Bed.start(9);
    const controllers = bed.client.resource("replicationcontrollers");
    await bed.run(
      controllers.create({
        metadata: { name: "rc", namespace },
        spec: { replicas: 2, selector: { app: "rs" }, template },
      }),
    );
    await bed.pass(5_000);
    expect(await bed.pods("app=rs")).toHaveLength(2);
    const { status } = await bed.run(controllers.get({ namespace, name: "rc" }));
    expect(status).toMatchObject({
      replicas: 2,
      readyReplicas: 2,
      availableReplicas: 2,
      observedGeneration: 1,
    });
  });
});

describe("a StatefulSet", () => {
  const statefulSet = (replicas: number, more: object = {}): StatefulSet => ({
    metadata: { name: "db", namespace },
    spec: {
      replicas,
      serviceName: "db",
      selector: { matchLabels: { app: "db" } },
      template: {
        metadata: { labels: { app: "db" } },
        spec: { containers: [{ name: "db", image: "db:1" }] },
      },
      ...more,
    },
  });
  const ref = { namespace, name: "db" };
  const sets = () => bed.client.resource("statefulsets.apps");
  const patchSet = (spec: object) =>
    bed.run(sets().patch(ref, { type: "strategic", patch: { spec } }));
  const image = (image: string) => ({
    template: { spec: { containers: [{ name: "db", image }] } },
  });

  it("makes its pods one after another, each with its claims", async () => {
    bed = await Bed.start(10);
    const volumeClaimTemplates = [
      {
        metadata: { name: "data" },
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
      },
    ];
    await bed.run(sets().create(statefulSet(3, { volumeClaimTemplates })));
    await bed.pass(1_500);
    expect(namesOf(await bed.pods())).toEqual(["db-0", "db-1"]);
    await bed.pass(10_000);
    const pods = await bed.pods();
    expect(namesOf(pods)).toEqual(["db-0", "db-1", "db-2"]);
    const claims = await bed.run(bed.client.resource("persistentvolumeclaims").list({ namespace }));
    expect(namesOf(claims.items)).toEqual(["data-db-0", "data-db-1", "data-db-2"]);
    expect(claims.items[0]?.metadata.labels).toEqual({ app: "db" });
    const last = pods.find(({ metadata }) => metadata.name === "db-2");
    expect(last?.metadata.labels).toMatchObject({
      "statefulset.kubernetes.io/pod-name": "db-2",
      "apps.kubernetes.io/pod-index": "2",
    });
    expect(last?.spec).toMatchObject({ hostname: "db-2", subdomain: "db" });
    expect(last?.spec?.volumes?.[0]).toMatchObject({
      name: "data",
      persistentVolumeClaim: { claimName: "data-db-2" },
    });
    expect((await bed.run(sets().get(ref))).status).toMatchObject({
      replicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      currentReplicas: 3,
      updatedReplicas: 3,
    });
    expect((await bed.events("StatefulSet")).slice(0, 2)).toEqual([
      "SuccessfulCreate: Create Claim data-db-0 Pod db-0 in StatefulSet db success",
      "SuccessfulCreate: Create Pod db-0 in StatefulSet db successful",
    ]);
  });

  it("updates from the highest ordinal down to its partition, and goes back", async () => {
    bed = await Bed.start(11);
    await bed.run(sets().create(statefulSet(3)));
    await bed.pass(10_000);
    await patchSet({ updateStrategy: { rollingUpdate: { partition: 2 } }, ...image("db:2") });
    await bed.pass(10_000);
    const imageOf = async () =>
      (await bed.pods())
        .map(({ metadata, spec }) => `${metadata.name} ${spec?.containers?.[0]?.image}`)
        .toSorted();
    expect(await imageOf()).toEqual(["db-0 db:1", "db-1 db:1", "db-2 db:2"]);
    const half = (await bed.run(sets().get(ref))).status;
    expect(half).toMatchObject({ currentReplicas: 2, updatedReplicas: 1 });
    expect(half?.currentRevision).not.toBe(half?.updateRevision);
    // One below the partition that is lost comes back as it was.
    await bed.run(bed.client.resource("pods").delete({ namespace, name: "db-0" }));
    await bed.pass(10_000);
    expect((await imageOf())[0]).toBe("db-0 db:1");
    await patchSet({ updateStrategy: { rollingUpdate: { partition: 0 } } });
    await bed.pass(20_000);
    expect(await imageOf()).toEqual(["db-0 db:2", "db-1 db:2", "db-2 db:2"]);
    const done = (await bed.run(sets().get(ref))).status;
    expect(done?.currentRevision).toBe(done?.updateRevision);
    await patchSet(image("db:1"));
    await bed.pass(20_000);
    expect(await imageOf()).toEqual(["db-0 db:1", "db-1 db:1", "db-2 db:1"]);
    const revisions = await bed.run(
      bed.client.resource("controllerrevisions.apps").list({ namespace }),
    );
    expect(revisions.items.map(({ revision }) => revision).toSorted()).toEqual([2, 3]);
  });

  it("waits for nobody when it is parallel, and takes the highest first when it shrinks", async () => {
    bed = await Bed.start(12);
    await bed.run(
      sets().create(statefulSet(4, { podManagementPolicy: "Parallel", ordinals: { start: 5 } })),
    );
    await bed.pass(500);
    expect(namesOf(await bed.pods())).toEqual(["db-5", "db-6", "db-7", "db-8"]);
    await bed.pass(5_000);
    await patchSet({ replicas: 2 });
    await bed.pass(5_000);
    expect(namesOf(await bed.pods())).toEqual(["db-5", "db-6"]);
  });
});

describe("a DaemonSet", () => {
  const ref = { namespace, name: "agent" };
  const sets = () => bed.client.resource("daemonsets.apps");
  const daemonSet = (rollingUpdate: object): DaemonSet => ({
    metadata: { name: "agent", namespace },
    spec: {
      selector: { matchLabels: { app: "agent" } },
      updateStrategy: { type: "RollingUpdate", rollingUpdate },
      template: {
        metadata: { labels: { app: "agent" } },
        spec: { nodeSelector: { disk: "ssd" }, containers: [{ name: "agent", image: "agent:1" }] },
      },
    },
  });
  /** Ready at once: it loses the taint that a new node is given. */
  const addNode = async (name: string, labels: Record<string, string>, taints: Taint[] = []) => {
    const nodes = bed.client.resource("nodes");
    await bed.run(nodes.create({ metadata: { name, labels } }));
    await bed.run(nodes.patch({ name }, { type: "merge", patch: { spec: { taints } } }));
  };
  const nodesOf = (pods: readonly Pod[]) =>
    pods
      .map(
        ({ spec }) =>
          spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
            ?.nodeSelectorTerms?.[0]?.matchFields?.[0]?.values?.[0],
      )
      .toSorted();

  it("has a pod on each node that fits, and none where it does not", async () => {
    bed = await Bed.start(13);
    await addNode("a", { disk: "ssd" });
    await addNode("b", { disk: "hdd" });
    await addNode("c", { disk: "ssd" }, [{ key: "gpu", effect: "NoSchedule" }]);
    await addNode("d", { disk: "ssd" }, [
      { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" },
    ]);
    await bed.run(sets().create(daemonSet({ maxUnavailable: 1 })));
    await bed.pass(5_000);
    expect(nodesOf(await bed.pods())).toEqual(["a", "d"]);
    await addNode("e", { disk: "ssd" });
    const nodes = bed.client.resource("nodes");
    await bed.run(
      nodes.patch(
        { name: "a" },
        { type: "merge", patch: { metadata: { labels: { disk: "hdd" } } } },
      ),
    );
    await bed.pass(5_000);
    expect(nodesOf(await bed.pods())).toEqual(["d", "e"]);
    expect((await bed.run(sets().get(ref))).status).toMatchObject({
      desiredNumberScheduled: 2,
      currentNumberScheduled: 2,
      numberMisscheduled: 0,
      numberReady: 2,
      numberAvailable: 2,
      updatedNumberScheduled: 2,
      observedGeneration: 1,
    });
  });

  it.each([
    ["takes old pods away first", { maxUnavailable: 1 }, 5],
    ["makes new pods first", { maxUnavailable: 0, maxSurge: 1 }, 6],
  ])("%s", async (_, rolling, most) => {
    bed = await Bed.start(14);
    for (const name of ["a", "b", "c", "d", "e"]) await addNode(name, { disk: "ssd" });
    await bed.run(sets().create(daemonSet(rolling)));
    await bed.pass(5_000);
    const containers = [{ name: "agent", image: "agent:2" }];
    const patch = { spec: { template: { spec: { containers } } } };
    await bed.run(sets().patch(ref, { type: "strategic", patch }));
    let seen = 0;
    for (let second = 0; second < 30; second++) {
      await bed.pass(1_000);
      seen = Math.max(seen, (await bed.pods()).length);
    }
    expect(seen).toBe(most);
    expect(imagesOf(await bed.pods())).toEqual(Array.from({ length: 5 }, () => "agent:2"));
    expect((await bed.run(sets().get(ref))).status).toMatchObject({
      updatedNumberScheduled: 5,
      numberAvailable: 5,
    });
  });
});
