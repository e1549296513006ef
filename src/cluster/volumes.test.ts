// Pods with claims against the real control plane on virtual time: scheduler, binder and simulated disks together.
import { afterEach, describe, expect, it } from "vitest";
import { engine } from "../../test/simulation.ts";
import type { PodSpec } from "../api/types/core-v1.ts";
import { nodeFleet } from "../kubelet/fleet.ts";
import { componentsOf, diskComponents } from "./component-list.ts";
import { newestProfile } from "./kubernetes-profile.ts";
import { ComponentTestbed } from "./component.testbed.ts";

const second = 1_000;
const namespace = "default";
let bed: ComponentTestbed;

async function start(seed: number): Promise<void> {
  const fleet = nodeFleet({ nodes: 3, profile: newestProfile.kubelet, lead: () => undefined });
  bed = await ComponentTestbed.start(seed, engine, {
    ...Object.fromEntries([...componentsOf(newestProfile), ...diskComponents]),
    kubelet: fleet,
  });
  await bed.driver.advance(10 * second);
}

afterEach(async () => {
  await bed.stop();
  expect(bed.complaints).toEqual([]);
});

const claimOf = (name: string, spec: object = {}) => ({
  metadata: { name, namespace },
  spec: {
    accessModes: ["ReadWriteOnce"],
    resources: { requests: { storage: "1Gi" } },
    ...spec,
  },
});

function podOf(name: string, claim: string, spec: Partial<PodSpec> = {}) {
  return {
    metadata: { name, namespace },
    spec: {
      containers: [{ name: "c", image: "i" }],
      volumes: [{ name: "data", persistentVolumeClaim: { claimName: claim } }],
      ...spec,
    },
  };
}

const pods = () => bed.client.resource("pods");
const claims = () => bed.client.resource("persistentvolumeclaims");
const volumes = () => bed.client.resource("persistentvolumes");
const phase = async (name: string) =>
  (await bed.run(pods().get({ namespace, name }))).status?.phase;
const whyNot = async (name: string) =>
  (await bed.run(pods().get({ namespace, name }))).status?.conditions?.find(
    ({ type }) => type === "PodScheduled",
  )?.message;

async function put(nodeName: string, labels: Record<string, string>): Promise<void> {
  const patch = { metadata: { labels } };
  await bed.run(bed.client.resource("nodes").patch({ name: nodeName }, { type: "merge", patch }));
}

describe("a claim without a class", () => {
  it("waits for its pod, gets a volume made, and takes it along when it goes", async () => {
    await start(1);
    const { items } = await bed.run(bed.client.resource("storageclasses.storage.k8s.io").list({}));
    expect(items.map(({ metadata }) => metadata.name)).toEqual(["standard"]);
    await bed.run(claims().create(claimOf("d")));
    await bed.driver.advance(5 * second);
    expect((await bed.run(claims().get({ namespace, name: "d" }))).status?.phase).toBe("Pending");
    await bed.run(pods().create(podOf("p", "d")));
    await bed.driver.advance(10 * second);
    expect(await phase("p")).toBe("Running");
    const claim = await bed.run(claims().get({ namespace, name: "d" }));
    expect(claim.status).toMatchObject({ phase: "Bound", capacity: { storage: "1Gi" } });
    expect(claim.spec?.volumeName).toBe(`pvc-${claim.metadata.uid}`);
    await bed.run(pods().delete({ namespace, name: "p" }, { gracePeriodSeconds: 0 }));
    await bed.run(claims().delete({ namespace, name: "d" }));
    await bed.driver.advance(30 * second);
    expect((await bed.run(volumes().list({}))).items).toEqual([]);
  });

  it("of a StatefulSet: each pod has its own, and finds it again", async () => {
    await start(2);
    const labels = { app: "db" };
    await bed.run(
      bed.client.resource("statefulsets.apps").create({
        metadata: { name: "db", namespace },
        spec: {
          replicas: 3,
          serviceName: "db",
          selector: { matchLabels: labels },
          template: {
            metadata: { labels },
            spec: { containers: [{ name: "c", image: "i" }] },
          },
          volumeClaimTemplates: [{ metadata: { name: "data" }, spec: claimOf("x").spec }],
        },
      }),
    );
    const ready = async () =>
      (await bed.run(bed.client.resource("statefulsets.apps").get({ namespace, name: "db" })))
        .status?.readyReplicas === 3;
    await bed.until(ready, 60 * second);
    const volumeOf = async (name: string) =>
      (await bed.run(claims().get({ namespace, name }))).spec?.volumeName;
    const before = await volumeOf("data-db-1");
    await bed.run(pods().delete({ namespace, name: "db-1" }));
    await bed.driver.advance(60 * second);
    await bed.until(ready, 60 * second);
    expect(await volumeOf("data-db-1")).toBe(before);
    expect((await bed.run(volumes().list({}))).items).toHaveLength(3);
  });
});

describe("a pod is not scheduled", () => {
  const immediate = {
    metadata: { name: "immediate" },
    provisioner: "example.com/none",
    volumeBindingMode: "Immediate",
  };

  it("while its claim is missing, or has no volume yet", async () => {
    await start(3);
    await bed.run(bed.client.resource("storageclasses.storage.k8s.io").create(immediate));
    await bed.run(claims().create(claimOf("unbound", { storageClassName: "immediate" })));
    await bed.run(pods().create(podOf("a", "nowhere")));
    await bed.run(pods().create(podOf("b", "unbound")));
    await bed.driver.advance(5 * second);
    const after = "not found";
    expect(await whyNot("a")).toBe(
      `0/3 nodes are available: persistentvolumeclaim "nowhere" not found. ${after}`,
    );
    expect(await whyNot("b")).toBe(
      `0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims. ${after}`,
    );
    await bed.run(claims().create(claimOf("nowhere")));
    await bed.driver.advance(15 * second);
    expect(await phase("a")).toBe("Running");
  });

  it("away from its volume, and is where the volume is", async () => {
    await start(4);
    for (const [name, zone] of [
      ["node-1", "a"],
      ["node-2", "b"],
      ["node-3", "b"],
    ] as const)
      await put(name, { "topology.kubernetes.io/zone": zone });
    await bed.run(claims().create(claimOf("d")));
    await bed.run(
      pods().create(podOf("first", "d", { nodeSelector: { "kubernetes.io/hostname": "node-1" } })),
    );
    await bed.driver.advance(10 * second);
    expect(await phase("first")).toBe("Running");
    const elsewhere = { nodeSelector: { "topology.kubernetes.io/zone": "b" } };
    await bed.run(pods().create(podOf("second", "d", elsewhere)));
    await bed.run(pods().create(podOf("third", "d")));
    await bed.driver.advance(10 * second);
    expect(await whyNot("second")).toMatch(
      /^0\/3 nodes are available: 1 node\(s\) didn't match Pod's node affinity\/selector, 2 node\(s\) didn't match PersistentVolume's node affinity\./,
    );
    expect((await bed.run(pods().get({ namespace, name: "third" }))).spec?.nodeName).toBe("node-1");
  });

  it("beside another user of a claim for one pod", async () => {
    await start(5);
    await bed.run(claims().create(claimOf("d", { accessModes: ["ReadWriteOncePod"] })));
    await bed.run(pods().create(podOf("first", "d")));
    await bed.driver.advance(10 * second);
    await bed.run(pods().create(podOf("second", "d")));
    await bed.driver.advance(5 * second);
    expect(await whyNot("second")).toMatch(
      /^0\/3 nodes are available: 3 node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode\./,
    );
    await bed.run(pods().delete({ namespace, name: "first" }, { gracePeriodSeconds: 0 }));
    await bed.driver.advance(15 * second);
    expect(await phase("second")).toBe("Running");
  });

  it("on nodes that hold as many volumes as they can", async () => {
    await start(6);
    const drivers = (nodeID: string) => [
      { name: "disks.wavetank.dev", nodeID, topologyKeys: [], allocatable: { count: 1 } },
    ];
    for (const name of ["node-1", "node-2", "node-3"])
      await bed.run(
        bed.client
          .resource("csinodes.storage.k8s.io")
          .create({ metadata: { name }, spec: { drivers: drivers(name) } }),
      );
    for (const index of [1, 2, 3, 4]) {
      await bed.run(claims().create(claimOf(`d${index}`)));
      await bed.run(pods().create(podOf(`p${index}`, `d${index}`)));
      await bed.driver.advance(10 * second);
    }
    expect(await Promise.all(["p1", "p2", "p3"].map(phase))).toEqual([
      "Running",
      "Running",
      "Running",
    ]);
    expect(await whyNot("p4")).toMatch(
      /^0\/3 nodes are available: 3 node\(s\) exceed max volume count\./,
    );
  });

  it("by us when it names another scheduler", async () => {
    await start(7);
    await bed.run(pods().create({ ...podOf("p", "d", { schedulerName: "mine", volumes: [] }) }));
    await bed.driver.advance(400 * second);
    const pod = await bed.run(pods().get({ namespace, name: "p" }));
    expect([pod.status?.phase, pod.status?.conditions, pod.spec?.nodeName]).toEqual([
      "Pending",
      undefined,
      undefined,
    ]);
  });
});

it("prefers a volume that is there to one that would have to be made", async () => {
  await start(8);
  await bed.run(
    volumes().create({
      metadata: { name: "by-hand" },
      spec: {
        capacity: { storage: "5Gi" },
        accessModes: ["ReadWriteOnce"],
        storageClassName: "standard",
        persistentVolumeReclaimPolicy: "Retain",
        hostPath: { path: "/data" },
        nodeAffinity: {
          required: {
            nodeSelectorTerms: [
              {
                matchExpressions: [
                  { key: "kubernetes.io/hostname", operator: "In", values: ["node-2"] },
                ],
              },
            ],
          },
        },
      },
    }),
  );
  await bed.run(claims().create(claimOf("d")));
  await bed.run(
    pods().create(podOf("p", "d", { nodeSelector: { "kubernetes.io/hostname": "node-2" } })),
  );
  await bed.driver.advance(15 * second);
  expect(await phase("p")).toBe("Running");
  expect((await bed.run(claims().get({ namespace, name: "d" }))).spec?.volumeName).toBe("by-hand");
});
