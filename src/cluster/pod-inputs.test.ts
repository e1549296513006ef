// Pods wait for the Secrets and ConfigMaps that they name, as a user would see it: with nodes against the real server on
// virtual time.
import { afterEach, describe, expect, it } from "vitest";
import { engine } from "../../test/simulation.ts";
import type { Pod, PodSpec } from "../api/types/core-v1.ts";
import type { Served } from "../client/served-object.ts";
import { nodeFleet } from "../kubelet/fleet.ts";
import { type KubeletProfile, kubeletProfile, kubeletProfiles } from "../kubelet/profile.ts";
import { ComponentTestbed } from "./component.testbed.ts";

const second = 1_000;
const minute = 60 * second;
const namespace = "default";

let bed: ComponentTestbed;

async function up(profile: KubeletProfile = kubeletProfile): Promise<void> {
  const kubelet = nodeFleet({ nodes: 1, profile, lead: () => {} });
  bed = await ComponentTestbed.start(3, engine, { kubelet });
  await bed.driver.advance(2 * second);
}

afterEach(async () => {
  expect(bed.complaints).toEqual([]);
  await bed.stop();
});

async function create(name: string, spec: Partial<PodSpec>): Promise<void> {
  const containers = [{ name: "c", image: "nginx" }];
  const pod = { metadata: { name, namespace }, spec: { containers, nodeName: "node-1", ...spec } };
  await bed.run(bed.client.resource("pods").create(pod));
}

async function secret(name: string, data: Record<string, string> = {}): Promise<void> {
  await bed.run(bed.client.resource("secrets").create({ metadata: { name, namespace }, data }));
}

function find(name: string): Promise<Served<Pod> | undefined> {
  return bed.run(bed.client.resource("pods").find({ namespace, name }));
}

/** `phase reason: message` of the first container. */
async function state(name: string): Promise<string> {
  const pod = await find(name);
  const { waiting, running } = pod?.status?.containerStatuses?.[0]?.state ?? {};
  const why = waiting === undefined ? "" : ` ${waiting.reason}`;
  const message = waiting?.message === undefined ? "" : `: ${waiting.message}`;
  return `${pod?.status?.phase}${running === undefined ? "" : " up"}${why}${message}`;
}

/** `reason: message xCOUNT` of the warnings about a pod. */
async function warnings(name: string): Promise<string[]> {
  const { items } = await bed.run(bed.client.resource("events").list({ namespace }));
  return items
    .filter(({ type, involvedObject }) => type === "Warning" && involvedObject.name === name)
    .map(({ reason, message, count }) => `${reason}: ${message} x${count}`);
}

const volume = (secretName: string, rest: object = {}): Partial<PodSpec> => ({
  volumes: [{ name: "v", secret: { secretName, ...rest } }],
});

const env = (valueFrom: object): Partial<PodSpec> => ({
  containers: [{ name: "c", image: "nginx", env: [{ name: "E", valueFrom }] }],
});

describe("volumes", () => {
  it("keep a pod waiting until their Secret is there", async () => {
    await up();
    await create("p", volume("s"));
    await bed.driver.advance(2 * second);
    expect(await state("p")).toBe("Pending ContainerCreating");
    const failed = 'FailedMount: MountVolume.SetUp failed for volume "v" : secret "s" not found';
    // Tried after 0, 0.5, 1.5, 3.5, 7.5, 15.5, 31.5, 63.5, 127.5 s, and then every 122 s.
    expect(await warnings("p")).toEqual([`${failed} x3`]);
    await bed.driver.advance(10 * minute);
    expect(await warnings("p")).toEqual([`${failed} x12`]);
    await secret("s");
    await bed.driver.advance(2 * minute + 5 * second);
    expect(await state("p")).toBe("Running up");
  });

  it("may be optional, and may lack a key", async () => {
    await up();
    await secret("s");
    await create("optional", volume("gone", { optional: true }));
    await create("key", volume("s", { items: [{ key: "k", path: "k" }] }));
    await create("either", volume("s", { items: [{ key: "k", path: "k" }], optional: true }));
    const items = [{ key: "k", path: "k" }];
    await create("map", {
      volumes: [{ name: "v", configMap: { name: "kube-root-ca.crt", items } }],
    });
    await create("both", {
      volumes: [
        {
          name: "v",
          projected: { sources: [{ secret: { name: "a" } }, { configMap: { name: "b" } }] },
        },
      ],
    });
    await bed.driver.advance(400);
    const failed = 'FailedMount: MountVolume.SetUp failed for volume "v" :';
    expect(await warnings("key")).toEqual([`${failed} references non-existent secret key: k x1`]);
    expect(await warnings("map")).toEqual([
      `${failed} configmap references non-existent config key: k x1`,
    ]);
    expect(await warnings("both")).toEqual([
      `${failed} [secret "a" not found, configmap "b" not found] x1`,
    ]);
    await bed.driver.advance(2 * second);
    expect(await state("optional")).toBe("Running up");
    expect(await state("either")).toBe("Running up");
  });

  it("are read again while the pod runs", async () => {
    await up();
    await secret("s");
    await create("p", volume("s"));
    await bed.driver.advance(2 * second);
    await bed.run(bed.client.resource("secrets").delete({ namespace, name: "s" }));
    await bed.driver.advance(95 * second);
    expect(await state("p")).toBe("Running up");
    expect((await warnings("p"))[0]).toMatch(/^FailedMount: .*secret "s" not found x\d+$/);
  });

  it("are waited for in an older kubelet's words", async () => {
    const [, old = kubeletProfile] = kubeletProfiles.find(([minor]) => minor === 21) ?? [];
    await up(old);
    await create("p", volume("s"));
    await bed.driver.advance(2 * minute + 5 * second);
    expect(await warnings("p")).toContainEqual(
      expect.stringMatching(
        /^FailedMount: Unable to attach or mount volumes: unmounted volumes=\[v\], unattached volumes=\[v kube-api-access-\w+\]: timed out waiting for the condition x1$/,
      ),
    );
  });

  it("of a deleted pod are not waited for", async () => {
    await up();
    await create("p", volume("s"));
    await bed.driver.advance(2 * second);
    await bed.run(bed.client.resource("pods").delete({ namespace, name: "p" }));
    await bed.driver.advance(2 * second);
    expect(await find("p")).toBeUndefined();
  });

  it("are mounted anew after the machine was off", async () => {
    await up();
    await secret("s");
    await create("p", volume("s"));
    await bed.driver.advance(2 * second);
    const annotate = (power: string | null): Promise<unknown> => {
      const patch = { metadata: { annotations: { "wavetank.dev/power": power } } };
      const nodes = bed.client.resource("nodes");
      return bed.run(nodes.patch({ name: "node-1" }, { type: "merge", patch }));
    };
    await annotate("off");
    await bed.run(bed.client.resource("secrets").delete({ namespace, name: "s" }));
    await bed.driver.advance(minute);
    await annotate(null);
    await bed.driver.advance(3 * second);
    expect((await warnings("p"))[0]).toMatch(/^FailedMount: .*secret "s" not found x\d+$/);
    expect((await find("p"))?.status?.containerStatuses?.[0]?.restartCount).toBe(0);
    await secret("s");
    await bed.driver.advance(minute);
    expect((await find("p"))?.status?.containerStatuses?.[0]).toMatchObject({
      restartCount: 1,
      ready: true,
    });
  });
});

describe("the environment", () => {
  it.each<[string, Partial<PodSpec>, string | undefined]>([
    [
      "a missing Secret",
      env({ secretKeyRef: { name: "gone", key: "k" } }),
      'secret "gone" not found',
    ],
    [
      "a missing ConfigMap",
      env({ configMapKeyRef: { name: "gone", key: "k" } }),
      'configmap "gone" not found',
    ],
    [
      "a missing key",
      env({ secretKeyRef: { name: "s", key: "other" } }),
      "couldn't find key other in Secret default/s",
    ],
    [
      "a missing key of a ConfigMap",
      env({ configMapKeyRef: { name: "kube-root-ca.crt", key: "k" } }),
      "couldn't find key k in ConfigMap default/kube-root-ca.crt",
    ],
    [
      "all of a missing Secret",
      { containers: [{ name: "c", image: "nginx", envFrom: [{ secretRef: { name: "gone" } }] }] },
      'secret "gone" not found',
    ],
    [
      "what is optional",
      env({ secretKeyRef: { name: "gone", key: "k", optional: true } }),
      undefined,
    ],
    ["what is there", env({ secretKeyRef: { name: "s", key: "k" } }), undefined],
  ])("with %s", async (_, spec, why) => {
    await up();
    await secret("s", { k: "dg==" });
    await create("p", spec);
    await bed.driver.advance(5 * second);
    expect(await state("p")).toBe(
      why === undefined ? "Running up" : `Pending CreateContainerConfigError: ${why}`,
    );
    expect(await warnings("p")).toEqual(why === undefined ? [] : [`Failed: Error: ${why} x1`]);
  });

  it("is looked up again every few seconds, and at each start", async () => {
    await up();
    await create("p", {
      ...env({ secretKeyRef: { name: "s", key: "k" } }),
      restartPolicy: "Always",
    });
    await bed.driver.advance(15 * second);
    expect(await warnings("p")).toEqual(['Failed: Error: secret "s" not found x2']);
    await secret("s", { k: "dg==" });
    await bed.driver.advance(10 * second);
    expect(await state("p")).toBe("Running up");
  });

  it("is looked up at each start", async () => {
    await up();
    await secret("s", { k: "dg==" });
    const containers = [
      {
        name: "c",
        image: "nginx",
        command: ["sleep", "60"],
        envFrom: [{ secretRef: { name: "s" } }],
      },
    ];
    await create("p", { containers });
    await bed.driver.advance(5 * second);
    expect(await state("p")).toBe("Running up");
    await bed.run(bed.client.resource("secrets").delete({ namespace, name: "s" }));
    await bed.driver.advance(65 * second);
    expect(await state("p")).toBe('Running CreateContainerConfigError: secret "s" not found');
    expect((await find("p"))?.status?.containerStatuses?.[0]?.lastState?.terminated).toMatchObject({
      exitCode: 0,
    });
  });
});

describe("pull secrets", () => {
  it("are told of when they are missing, and stop nothing", async () => {
    await up();
    await create("p", { imagePullSecrets: [{ name: "a" }, { name: "b" }] });
    await bed.driver.advance(2 * second);
    expect(await state("p")).toBe("Running up");
    expect(await warnings("p")).toEqual([
      "FailedToRetrieveImagePullSecret: Unable to retrieve some image pull secrets (a, b); attempting to pull the image may not succeed. x1",
    ]);
  });
});
