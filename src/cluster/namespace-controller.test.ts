// Namespaces that go away, with all they hold.
import { afterEach, describe, expect, it } from "vitest";
import type { Pod } from "../api/types/core-v1.ts";
import { createGarbageCollector } from "../controllers/garbage-collector/controller.ts";
import { createNamespaceController } from "../controllers/namespace/controller.ts";
import { drainPromises } from "../host/node/drain-promises.ts";
import { createNodeHost } from "../host/node/node-host.ts";
import { ComponentTestbed } from "./component.testbed.ts";

const { digest } = createNodeHost("silent", () => {});
const engine = { digest, drain: drainPromises };
const name = "doomed";
const minute = 60_000;

let bed: ComponentTestbed;

async function start(seed: number): Promise<void> {
  bed = await ComponentTestbed.start(seed, engine, {
    "namespace-controller": createNamespaceController,
    "generic-garbage-collector": createGarbageCollector,
  });
  await bed.run(bed.client.resource("namespaces").create({ metadata: { name } }));
  await bed.driver.advance(1_000);
}

afterEach(async () => {
  expect(bed.complaints).toEqual([]);
  await bed.stop();
});

const gone = async (): Promise<boolean> =>
  (await bed.client.resource("namespaces").find({ name })) === undefined;

describe("deleting a namespace", () => {
  it("takes 2,000 objects with it, within seconds", async () => {
    await start(1);
    const maps = bed.client.resource("configmaps");
    await bed.run(
      Promise.all(
        Array.from({ length: 2_000 }, (_, index) =>
          maps.create({ metadata: { name: `cm-${index}`, namespace: name } }),
        ),
      ),
    );
    await bed.run(bed.client.resource("namespaces").delete({ name }));
    await bed.until(gone, minute);
    expect((await bed.run(maps.list({ namespace: name }))).items).toEqual([]);
  });

  it("waits for pods before it touches anything else, and says so", async () => {
    await start(2);
    const pods = bed.client.resource("pods");
    const maps = bed.client.resource("configmaps");
    const pod: Pod = {
      metadata: { name: "p", namespace: name },
      spec: { nodeName: "far", containers: [{ name: "c", image: "i" }] },
    };
    await bed.run(pods.create(pod));
    await bed.run(maps.create({ metadata: { name: "cm", namespace: name } }));
    await bed.run(bed.client.resource("namespaces").delete({ name }));
    await bed.driver.advance(10_000);
    const terminating = await bed.run(bed.client.resource("namespaces").get({ name }));
    expect(terminating.status?.phase).toBe("Terminating");
    expect(
      terminating.status?.conditions?.map((one) => [one.type, one.status, one.reason, one.message]),
    ).toEqual([
      [
        "NamespaceDeletionDiscoveryFailure",
        "False",
        "ResourcesDiscovered",
        "All resources successfully discovered",
      ],
      [
        "NamespaceDeletionGroupVersionParsingFailure",
        "False",
        "ParsedGroupVersions",
        "All legacy kube types successfully parsed",
      ],
      [
        "NamespaceDeletionContentFailure",
        "False",
        "ContentDeleted",
        "All content successfully deleted, may be waiting on finalization",
      ],
      [
        "NamespaceContentRemaining",
        "True",
        "SomeResourcesRemain",
        "Some resources are remaining: pods. has 1 resource instances",
      ],
      [
        "NamespaceFinalizersRemaining",
        "False",
        "ContentHasNoFinalizers",
        "All content-preserving finalizers finished",
      ],
    ]);
    expect(await bed.run(maps.find({ namespace: name, name: "cm" }))).toBeDefined();
    expect(
      (await bed.run(pods.get({ namespace: name, name: "p" }))).metadata.deletionTimestamp,
    ).toBeDefined();
    // The kubelet confirms.
    await bed.run(pods.delete({ namespace: name, name: "p" }, { gracePeriodSeconds: 0 }));
    await bed.until(gone, minute);
  });

  it("waits for finalizers of others, and says on how many objects", async () => {
    await start(3);
    const maps = bed.client.resource("configmaps");
    const metadata = { name: "cm", namespace: name, finalizers: ["example.com/hold"] };
    const held = await bed.run(maps.create({ metadata }));
    await bed.run(bed.client.resource("namespaces").delete({ name }));
    await bed.driver.advance(10_000);
    const terminating = await bed.run(bed.client.resource("namespaces").get({ name }));
    expect(terminating.status?.conditions?.slice(3).map((one) => one.message)).toEqual([
      "Some resources are remaining: configmaps. has 1 resource instances",
      "Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances",
    ]);
    await bed.run(
      maps.patch(
        { namespace: name, name: held.metadata.name },
        { type: "merge", patch: { metadata: { finalizers: null } } },
      ),
    );
    await bed.until(gone, minute);
  });
});
