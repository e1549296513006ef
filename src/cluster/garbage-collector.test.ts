// Dependents follow their owners, in the way that the deletion asks for.
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ConfigMap } from "../api/types/core-v1.ts";
import type { ObjectMeta, OwnerReference } from "../api/types/meta-v1.ts";
import type { Served } from "../client/served-object.ts";
import { createGarbageCollector } from "../controllers/garbage-collector/controller.ts";
import { drainPromises } from "../host/node/drain-promises.ts";
import { createNodeHost } from "../host/node/node-host.ts";
import { ComponentTestbed } from "./component.testbed.ts";

const { digest } = createNodeHost("silent", () => {});
const namespace = "default";
let bed: ComponentTestbed;

beforeEach(async () => {
  bed = await ComponentTestbed.start(
    11,
    { digest, drain: drainPromises },
    {
      "generic-garbage-collector": createGarbageCollector,
    },
  );
  await bed.driver.advance(1_000);
});

afterEach(async () => {
  expect(bed.complaints).toEqual([]);
  await bed.stop();
});

function ownedBy({ metadata }: Served<ConfigMap>, block = false): OwnerReference {
  const { name, uid } = metadata;
  return { apiVersion: "v1", kind: "ConfigMap", name, uid, blockOwnerDeletion: block };
}

async function make(
  name: string,
  owners: readonly OwnerReference[] = [],
  more: ObjectMeta = {},
): Promise<Served<ConfigMap>> {
  const metadata = { name, namespace, ownerReferences: [...owners], ...more };
  return bed.run(bed.client.resource("configmaps").create({ metadata }));
}

async function left(): Promise<string[]> {
  const { items } = await bed.run(bed.client.resource("configmaps").list({ namespace }));
  return items.map(({ metadata }) => metadata.name).filter((name) => name !== "kube-root-ca.crt");
}

const remove = (name: string, propagationPolicy: string): Promise<void> =>
  bed.run(bed.client.resource("configmaps").delete({ namespace, name }, { propagationPolicy }));

/** a owns b owns c. */
async function chain(block = false): Promise<void> {
  const a = await make("a");
  const b = await make("b", [ownedBy(a, block)]);
  await make("c", [ownedBy(b, block)]);
  await make("d");
  await bed.driver.advance(1_000);
}

describe("the garbage collector", () => {
  it("follows in the background", async () => {
    await chain();
    await remove("a", "Background");
    await bed.driver.advance(2_000);
    expect(await left()).toEqual(["d"]);
  });

  it("deletes from the leaves up in the foreground", async () => {
    await chain(true);
    const seen: string[] = [];
    const watch = await bed.run(
      bed.client.resource("configmaps").watch({ namespace, fieldSelector: "metadata.name!=x" }),
    );
    const reading = (async () => {
      for await (const event of watch)
        if (event.type === "DELETED") seen.push(event.object.metadata.name);
    })();
    await remove("a", "Foreground");
    await bed.driver.advance(5_000);
    watch.stop();
    await bed.run(reading);
    expect(seen).toEqual(["c", "b", "a"]);
    expect(await left()).toEqual(["d"]);
  });

  it("sets orphans free", async () => {
    await chain();
    await remove("a", "Orphan");
    await bed.driver.advance(2_000);
    expect(await left()).toEqual(["b", "c", "d"]);
    const b = await bed.run(bed.client.resource("configmaps").get({ namespace, name: "b" }));
    expect(b.metadata.ownerReferences).toBeUndefined();
  });

  it("collects what names an owner that never was, or that has another UID", async () => {
    const a = await make("a");
    await make("b", [{ ...ownedBy(a), uid: "11111111-2222-3333-4444-555555555555" }]);
    await make("c", [
      { ...ownedBy(a), name: "nobody", uid: "61111111-2222-3333-4444-555555555555" },
    ]);
    await bed.driver.advance(2_000);
    expect(await left()).toEqual(["a"]);
  });

  it("drops only the reference while another owner is left", async () => {
    const a = await make("a");
    const b = await make("b");
    await make("c", [ownedBy(a), ownedBy(b)]);
    await bed.driver.advance(1_000);
    await remove("a", "Background");
    await bed.driver.advance(2_000);
    expect(await left()).toEqual(["b", "c"]);
    const c = await bed.run(bed.client.resource("configmaps").get({ namespace, name: "c" }));
    expect(c.metadata.ownerReferences?.map(({ name }) => name)).toEqual(["b"]);
  });

  it("breaks circles that delete in the foreground", async () => {
    const a = await make("a");
    const b = await make("b", [ownedBy(a, true)]);
    const patch = { metadata: { ownerReferences: [ownedBy(b, true)] } };
    await bed.run(
      bed.client.resource("configmaps").patch({ namespace, name: "a" }, { type: "merge", patch }),
    );
    await bed.driver.advance(1_000);
    await remove("a", "Foreground");
    await bed.driver.advance(5_000);
    expect(await left()).toEqual([]);
  });

  it("says when an owner is in another namespace, and collects", async () => {
    const a = await make("a");
    const metadata = { name: "far", namespace: "kube-public", ownerReferences: [ownedBy(a)] };
    const far = await bed.run(bed.client.resource("configmaps").create({ metadata }));
    await bed.driver.advance(2_000);
    expect(
      await bed.run(
        bed.client.resource("configmaps").find({ namespace: "kube-public", name: "far" }),
      ),
    ).toBeUndefined();
    const events = await bed.run(bed.client.resource("events").list({ namespace: "kube-public" }));
    expect(events.items.map(({ reason, message, type }) => [type, reason, message])).toEqual([
      [
        "Warning",
        "OwnerRefInvalidNamespace",
        `ownerRef [v1/ConfigMap, namespace: kube-public, name: a, uid: ${a.metadata.uid}] does not exist in namespace "kube-public"`,
      ],
    ]);
    expect(events.items[0]?.involvedObject.uid).toBe(far.metadata.uid);
    expect(await left()).toEqual(["a"]);
  });
});
