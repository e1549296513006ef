// How pods get their account's token at each minor, as users see it.
import { afterEach, describe, expect, it } from "vitest";
import { engine } from "../../test/simulation.ts";
import type { Pod } from "../api/types/core-v1.ts";
import type { Served } from "../client/served-object.ts";
import { nodeFleet } from "../kubelet/fleet.ts";
import { ComponentTestbed } from "./component.testbed.ts";
import { kubernetesProfile } from "./kubernetes-profile.ts";

const namespace = "default";
let bed: ComponentTestbed;

async function up(minor: number): Promise<void> {
  const profile = kubernetesProfile(minor);
  const kubelet = nodeFleet({ nodes: 1, profile: profile.kubelet, lead: () => {} });
  bed = await ComponentTestbed.start(1, engine, { kubelet }, { profile });
  await bed.driver.advance(2_000);
}

afterEach(async () => {
  expect(bed.complaints).toEqual([]);
  await bed.stop();
});

function create(name: string, serviceAccountName: string): Promise<Served<Pod>> {
  const containers = [{ name: "c", image: "nginx" }];
  const spec = { containers, serviceAccountName, nodeName: "node-1" };
  return bed.run(bed.client.resource("pods").create({ metadata: { name, namespace }, spec }));
}

const account = (name: string): Promise<unknown> =>
  bed.run(bed.client.resource("serviceaccounts").create({ metadata: { name, namespace } }));

async function tokenSecrets(): Promise<string[]> {
  const { items } = await bed.run(bed.client.resource("secrets").list({ namespace }));
  return items.map(({ metadata }) => metadata.name.replace(/-\w{5}$/, ""));
}

describe("a pod's token", () => {
  it("is a Secret of its account up to 1.20", async () => {
    await up(20);
    await account("robot");
    // It waits for the Secret, which comes a moment after the account.
    const pod = await create("p", "robot");
    const [volume] = pod.spec?.volumes ?? [];
    expect(volume).toMatchObject({
      name: expect.stringMatching(/^robot-token-\w{5}$/) as string,
      secret: { secretName: volume?.name, defaultMode: 420 },
    });
    expect(pod.spec?.containers?.[0]?.volumeMounts).toEqual([
      {
        name: volume?.name,
        readOnly: true,
        mountPath: "/var/run/secrets/kubernetes.io/serviceaccount",
      },
    ]);
    await bed.driver.advance(3_000);
    const running = await bed.run(bed.client.resource("pods").get({ namespace, name: "p" }));
    expect(running.status?.phase).toBe("Running");
    expect(await tokenSecrets()).toEqual(["default-token", "robot-token"]);
  });

  it("is projected since 1.21, beside a Secret that nobody mounts up to 1.23", async () => {
    await up(21);
    await account("robot");
    await bed.driver.advance(1_000);
    const pod = await create("p", "robot");
    expect(pod.spec?.volumes?.[0]?.projected?.sources?.[1]?.configMap?.name).toBe(
      "kube-root-ca.crt",
    );
    expect(await tokenSecrets()).toEqual(["default-token", "robot-token"]);
  });

  it("has no Secret since 1.24", async () => {
    await up(24);
    await account("robot");
    await bed.driver.advance(1_000);
    await create("p", "robot");
    expect(await tokenSecrets()).toEqual([]);
  });

  it("gets a new Secret when somebody deletes it", async () => {
    await up(20);
    await account("robot");
    await bed.driver.advance(1_000);
    const accounts = bed.client.resource("serviceaccounts");
    const known = await bed.run(accounts.get({ namespace, name: "robot" }));
    const name = known.secrets?.[0]?.name ?? "";
    await bed.run(bed.client.resource("secrets").delete({ namespace, name }));
    const patch = { metadata: { labels: { touched: "yes" } } };
    await bed.run(accounts.patch({ namespace, name: "robot" }, { type: "merge", patch }));
    await bed.driver.advance(1_000);
    const changed = await bed.run(accounts.get({ namespace, name: "robot" }));
    expect(changed.secrets?.map((one) => one.name)).toEqual([
      name,
      expect.stringMatching(/^robot-token-\w{5}$/),
    ]);
  });
});
