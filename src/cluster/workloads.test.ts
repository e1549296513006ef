// Workload controllers against the real control plane on virtual time, with a kubelet of a few lines that makes pods
// ready and lets deleted ones go: what a user sees in the end.
import { afterEach, describe, expect, it } from "vitest";
import type { Deployment } from "../api/types/apps-v1.ts";
import type { Pod } from "../api/types/core-v1.ts";
import type { Client } from "../client/client.ts";
import { type Served, refOf } from "../client/served-object.ts";
import { drainPromises } from "../host/node/drain-promises.ts";
import { createNodeHost } from "../host/node/node-host.ts";
import type { Component } from "../informer/component.ts";
import { InformerSet } from "../informer/informer-set.ts";
import { clientGoProfile } from "../informer/reflector-profile.ts";
import { controllerOf } from "../informer/index-functions.ts";
import { reasonOf } from "../client/reason.ts";
import { components } from "./component-list.ts";
import { startControllerManager } from "./controller-manager.ts";
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
      components: components.filter(([name]) => workloadComponents.has(name)),
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
});
