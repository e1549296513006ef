import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createNodeHost } from "../../host/node/node-host.ts";
import type { AdmissionAttributes } from "../../api/admission-attributes.ts";
import type { StatusError } from "../../api/meta/errors.ts";
import type { KubeObject } from "../../api/object.ts";
import { TestRegistries, type TestRegistry } from "../registries.testbed.ts";
import { noListOptions } from "../../api/meta/list-options.ts";
import { admitAll } from "../../api/admission-attributes.ts";

const host = createNodeHost("silent", () => undefined);
let all: TestRegistries;
let configMaps: TestRegistry;

beforeEach(async () => {
  all = await TestRegistries.open(host);
  configMaps = all.of("", "configmaps");
});
afterEach(() => all.close());

const map = (name: string, data: Record<string, string> = {}): KubeObject => ({
  kind: "ConfigMap",
  apiVersion: "v1",
  metadata: { name, namespace: "default" },
  data,
});

async function refusal(run: Promise<unknown>): Promise<[number, string | undefined]> {
  try {
    await run;
  } catch (error) {
    const { code, status } = error as StatusError;
    return [code, status.message];
  }
  throw new Error("nothing was thrown");
}

describe("create", () => {
  test("stores what it answers, with the server's metadata", async () => {
    const made = await configMaps.create({
      ...map("a", { k: "v" }),
      metadata: {
        name: "a",
        uid: "mine",
        deletionTimestamp: "2020-01-01T00:00:00Z",
        generation: 7,
      },
    });
    expect(made).toMatchObject({
      kind: "ConfigMap",
      apiVersion: "v1",
      metadata: { name: "a", namespace: "default", creationTimestamp: "2026-01-02T03:04:05Z" },
      data: { k: "v" },
    });
    expect(made.metadata.uid).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    expect(made.metadata.deletionTimestamp).toBeUndefined();
    expect(made.metadata.generation).toBeUndefined();
    expect(await configMaps.get("a")).toEqual(made);
    const kv = await all.stored("/registry/configmaps/default/a");
    expect(String(kv?.modRevision)).toBe(made.metadata.resourceVersion);
    expect(new TextDecoder().decode(kv?.value)).not.toContain("resourceVersion");
  });

  test("refuses a name that is taken, and says when its owner is on the way out", async () => {
    await configMaps.create({ ...map("a"), metadata: { name: "a", finalizers: ["x.io/y"] } });
    expect(await refusal(configMaps.create(map("a")))).toEqual([
      409,
      'configmaps "a" already exists',
    ]);
    await configMaps.delete("a");
    expect(await refusal(configMaps.create(map("a")))).toEqual([
      409,
      'object is being deleted: configmaps "a" already exists',
    ]);
  });

  test("generates names from the base", async () => {
    const made = await configMaps.create({ metadata: { generateName: `${"x".repeat(60)}-` } });
    expect(made.metadata.name).toMatch(/^x{58}[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    expect(made.metadata.generateName).toBe(`${"x".repeat(60)}-`);
  });

  test("gives up generating names after eight collisions", async () => {
    const draws = {
      below: () => 0,
      unit: () => 0,
      bytes: (n: number) => host.random.stream("t").bytes(n),
    };
    const stuck = await TestRegistries.open({ ...host, random: { stream: () => draws } });
    await stuck.of("", "configmaps").create({ metadata: { generateName: "a-" } });
    const [code, message] = await refusal(
      stuck.of("", "configmaps").create({ metadata: { generateName: "a-" } }),
    );
    expect([code, message]).toEqual([
      409,
      'configmaps "a-bbbbb" already exists, the server was not able to generate a unique name for the object',
    ]);
    await stuck.close();
  });

  test("refuses a resourceVersion and another namespace", async () => {
    const versioned = { ...map("a"), metadata: { name: "a", resourceVersion: "5" } };
    expect(await refusal(configMaps.create(versioned))).toEqual([
      500,
      "resourceVersion should not be set on objects to be created",
    ]);
    expect(await refusal(configMaps.create(map("a"), { namespace: "other" }))).toEqual([
      400,
      "the namespace of the provided object does not match the namespace sent on the request",
    ]);
  });

  test("with dryRun does everything but store", async () => {
    const made = await configMaps.create(map("a"), { dryRun: true });
    expect(made.metadata.uid).toHaveLength(36);
    expect(made.metadata.resourceVersion).toBeUndefined();
    expect(await refusal(configMaps.get("a"))).toEqual([404, 'configmaps "a" not found']);
    await configMaps.create(map("a"));
    expect((await refusal(configMaps.create(map("a"), { dryRun: true })))[0]).toBe(409);
  });

  test("lets admission change the object before and judge it after", async () => {
    const seen: unknown[] = [];
    const admission = {
      mutate: (attributes: AdmissionAttributes) => {
        attributes.object!["data"] = { from: "admission" };
        return Promise.resolve();
      },
      validate: (attributes: AdmissionAttributes) => {
        seen.push([attributes.operation, attributes.name, attributes.object?.["data"]]);
        return Promise.resolve();
      },
    };
    const made = await configMaps.create(map("a"), { admission });
    expect(made["data"]).toEqual({ from: "admission" });
    expect(seen).toEqual([["CREATE", "a", { from: "admission" }]]);
  });

  test("drops duplicate owners with a warning", async () => {
    const owner = { apiVersion: "v1", kind: "Pod", name: "p", uid: "u" };
    const warnings: string[] = [];
    const made = await configMaps.create(
      { ...map("a"), metadata: { name: "a", ownerReferences: [owner, owner] } },
      { warnings },
    );
    expect(made.metadata.ownerReferences).toEqual([owner]);
    expect(warnings).toEqual([
      expect.stringMatching(/^\.metadata\.ownerReferences contains duplicate entries;.*: u$/),
    ]);
  });
});

describe("update", () => {
  test("needs the current resourceVersion, or none", async () => {
    const first = await configMaps.create(map("a", { n: "1" }));
    const second = await configMaps.put({ ...first, data: { n: "2" } });
    expect(Number(second.metadata.resourceVersion)).toBeGreaterThan(
      Number(first.metadata.resourceVersion),
    );
    expect(second.metadata.uid).toBe(first.metadata.uid);
    expect(await refusal(configMaps.put({ ...first, data: { n: "3" } }))).toEqual([
      409,
      'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
    ]);
    expect((await configMaps.put(map("a", { n: "4" })))["data"]).toEqual({ n: "4" });
  });

  test("lets every unconditional writer through, however many there are at once", async () => {
    const writers = 300;
    const first = await configMaps.create(map("a"));
    await Promise.all(
      Array.from({ length: writers }, (_, index) => configMaps.put(map("a", { n: `${index}` }))),
    );
    const last = await configMaps.get("a");
    const revisions =
      Number(last.metadata.resourceVersion) - Number(first.metadata.resourceVersion);
    expect(revisions).toBe(writers);
  });

  test("that changes nothing writes nothing", async () => {
    const first = await configMaps.create(map("a", { n: "1" }));
    const before = await all.store.currentRevision();
    expect(await configMaps.put(map("a", { n: "1" }))).toEqual(first);
    expect(await configMaps.patch("a", () => {})).toEqual(first);
    expect(await all.store.currentRevision()).toBe(before);
  });

  test("of another object by uid is a conflict", async () => {
    const first = await configMaps.create(map("a"));
    const other = { ...map("a"), metadata: { name: "a", uid: "other" } };
    expect(await refusal(configMaps.put(other))).toEqual([
      409,
      `Operation cannot be fulfilled on configmaps "a": StorageError: invalid object, Code: 4, Key: /registry/configmaps/default/a, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: other, UID in object meta: ${first.metadata.uid}`,
    ]);
  });

  test("of what is not there fails, or creates where the kind allows", async () => {
    expect(await refusal(configMaps.put(map("a")))).toEqual([404, 'configmaps "a" not found']);
    const leases = all.of("coordination.k8s.io", "leases");
    const made = await leases.put({ metadata: { name: "l" }, spec: { holderIdentity: "me" } });
    expect(made.metadata.uid).toHaveLength(36);
    expect((await refusal(leases.patch("m", () => {})))[0]).toBe(404);
    const withUid = { metadata: { name: "m", uid: "u" }, spec: {} };
    expect((await refusal(leases.put(withUid)))[0]).toBe(409);
  });

  test("without resourceVersion is refused by kinds that demand one", async () => {
    const leases = all.of("coordination.k8s.io", "leases");
    await leases.put({ metadata: { name: "l" }, spec: {} });
    expect(await refusal(leases.put({ metadata: { name: "l" }, spec: {} }))).toEqual([
      422,
      'leases.coordination.k8s.io "l" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
    ]);
  });

  test("never moves the origin or takes a deletion back", async () => {
    const first = await configMaps.create({
      ...map("a"),
      metadata: { name: "a", finalizers: ["x.io/y"] },
    });
    await configMaps.delete("a");
    const patched = await configMaps.patch("a", (object) => {
      object.metadata = { name: "a", finalizers: ["x.io/y"], labels: { l: "1" } };
    });
    expect(patched.metadata).toMatchObject({
      uid: first.metadata.uid,
      creationTimestamp: "2026-01-02T03:04:05Z",
      deletionTimestamp: "2026-01-02T03:04:05Z",
      deletionGracePeriodSeconds: 0,
      labels: { l: "1" },
    });
  });

  test("that takes the last finalizer of a deleted object removes it", async () => {
    await configMaps.create({ ...map("a"), metadata: { name: "a", finalizers: ["x.io/y"] } });
    await configMaps.delete("a");
    const patched = await configMaps.patch("a", (object) => {
      delete object.metadata.finalizers;
    });
    expect(patched.metadata.name).toBe("a");
    expect(await refusal(configMaps.get("a"))).toEqual([404, 'configmaps "a" not found']);
  });

  test("by many at once loses none of their changes", async () => {
    await configMaps.create(map("a", { n: "0" }));
    const increment = (object: KubeObject): void => {
      const data = object["data"] as { n: string };
      data.n = String(Number(data.n) + 1);
    };
    await Promise.all(Array.from({ length: 40 }, () => configMaps.patch("a", increment)));
    expect((await configMaps.get("a"))["data"]).toEqual({ n: "40" });
  });

  test("sees what another writer stored before the cache does", async () => {
    for (let round = 0; round < 20; round++) {
      const name = `m${round}`;
      const made = await configMaps.create(map(name, { n: "1" }));
      const put = await configMaps.put({ ...made, data: { n: "2" } });
      expect(
        (await configMaps.patch(name, (object) => (object["extra"] = undefined)))["data"],
      ).toEqual(put["data"]);
      expect((await configMaps.delete(name)).gone).toBe(true);
      expect((await refusal(configMaps.patch(name, () => {})))[0]).toBe(404);
    }
  });

  test("with dryRun answers the change and keeps the old", async () => {
    const first = await configMaps.create(map("a", { n: "1" }));
    const dry = await configMaps.patch("a", (object) => (object["data"] = { n: "2" }), {
      dryRun: true,
    });
    expect(dry).toEqual({ ...first, data: { n: "2" } });
    expect(await configMaps.get("a")).toEqual(first);
  });
});

describe("delete", () => {
  test("removes at once and answers with a Status or the object, as the kind wants it", async () => {
    await configMaps.create(map("a"));
    expect(await configMaps.delete("a")).toMatchObject({ gone: true, returnsObject: false });
    expect(await refusal(configMaps.delete("a"))).toEqual([404, 'configmaps "a" not found']);
    const accounts = all.of("", "serviceaccounts");
    const made = await accounts.create({ metadata: { name: "s" } });
    const deleted = await accounts.delete("s");
    expect(deleted).toMatchObject({ gone: true, returnsObject: true });
    const last = JSON.parse(new TextDecoder().decode(deleted.bytes)) as KubeObject;
    expect(Number(last.metadata.resourceVersion)).toBeGreaterThan(
      Number(made.metadata.resourceVersion),
    );
  });

  test.each([
    [
      { preconditions: { uid: "x" } },
      /^Operation cannot be fulfilled on ConfigMap "a": the UID in the precondition \(x\) does not match the UID in record \(.*\)\. The object might have been deleted and then recreated$/,
    ],
    [
      { preconditions: { resourceVersion: "1" } },
      /^Operation cannot be fulfilled on ConfigMap "a": the ResourceVersion in the precondition \(1\) does not match the ResourceVersion in record \(\d+\)\. The object might have been modified$/,
    ],
  ])("with %j is a conflict", async (options, message) => {
    await configMaps.create(map("a"));
    const [code, text] = await refusal(configMaps.delete("a", options));
    expect(code).toBe(409);
    expect(text).toMatch(message);
  });

  test("with right preconditions goes through", async () => {
    const { metadata } = await configMaps.create(map("a"));
    const preconditions = { uid: metadata.uid!, resourceVersion: metadata.resourceVersion! };
    expect((await configMaps.delete("a", { preconditions })).gone).toBe(true);
  });

  test("waits for finalizers, and a second one changes nothing", async () => {
    const deployments = all.of("apps", "deployments");
    await deployments.create(deployment("d", ["x.io/y"]));
    const first = await deployments.delete("d");
    expect(first).toMatchObject({ gone: false, returnsObject: true });
    expect(first.object.metadata).toMatchObject({
      deletionTimestamp: "2026-01-02T03:04:05Z",
      deletionGracePeriodSeconds: 0,
      generation: 2,
    });
    all.advance(5_000);
    const second = await deployments.delete("d");
    expect(second.bytes).toEqual(first.bytes);
  });

  test.each([
    ["Orphan", ["orphan"]],
    ["Foreground", ["foregroundDeletion"]],
  ])(
    "with %s leaves the object to the garbage collector",
    async (propagationPolicy, finalizers) => {
      await configMaps.create(map("a"));
      const deleted = await configMaps.delete("a", { propagationPolicy });
      expect(deleted.gone).toBe(false);
      expect(deleted.object.metadata.finalizers).toEqual(finalizers);
      // A later wish counts more than the finalizer that is there.
      expect((await configMaps.delete("a", { propagationPolicy: "Background" })).gone).toBe(true);
    },
  );

  test("asks admission with the old object", async () => {
    await configMaps.create(map("a"));
    const seen: unknown[] = [];
    const admission = {
      ...admitAll,
      validate: (attributes: AdmissionAttributes) => {
        seen.push([attributes.operation, attributes.object, attributes.oldObject?.metadata.name]);
        return Promise.resolve();
      },
    };
    await configMaps.delete("a", {}, { admission });
    expect(seen).toEqual([["DELETE", undefined, "a"]]);
  });

  test("with dryRun keeps the object", async () => {
    await configMaps.create(map("a"));
    expect((await configMaps.delete("a", {}, { dryRun: true })).gone).toBe(true);
    expect((await configMaps.get("a")).metadata.name).toBe("a");
  });
});

function deployment(name: string, finalizers: string[] = []): KubeObject {
  const labels = { app: name };
  return {
    metadata: { name, finalizers },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } },
    },
  };
}

describe("deleteCollection", () => {
  test("deletes what is selected, over several pages", async () => {
    for (let i = 0; i < 30; i++) {
      const labels: Record<string, string> = i % 3 === 0 ? { keep: "yes" } : {};
      await configMaps.create({ ...map(`m${i}`), metadata: { name: `m${i}`, labels } });
    }
    const list = await configMaps.registry.deleteCollection(
      configMaps.call(),
      {},
      { ...noListOptions, labelSelector: "keep!=yes" },
    );
    expect([...list.items]).toHaveLength(20);
    expect(await configMaps.names()).toHaveLength(10);
  });

  test("honours limit and dryRun", async () => {
    for (const name of ["a", "b", "c"]) await configMaps.create(map(name));
    const call = configMaps.call();
    await configMaps.registry.deleteCollection(
      configMaps.call({ dryRun: true }),
      {},
      noListOptions,
    );
    expect(await configMaps.names()).toHaveLength(3);
    await configMaps.registry.deleteCollection(call, {}, { ...noListOptions, limit: 2 });
    expect(await configMaps.names()).toEqual(["default/c"]);
  });
});

describe("reads", () => {
  test("list in pages under one revision", async () => {
    for (const name of ["a", "b", "c"]) await configMaps.create(map(name));
    const page = await configMaps.registry.list("default", { ...noListOptions, limit: 2 });
    expect([...page.items].map(({ key }) => key)).toEqual(["default/a", "default/b"]);
    expect(page.remainingItemCount).toBe(1);
    await configMaps.create(map("d"));
    const rest = await configMaps.registry.list("default", {
      ...noListOptions,
      limit: 2,
      continue: page.continueToken!,
    });
    expect([...rest.items].map(({ key }) => key)).toEqual(["default/c"]);
    expect(rest.revision).toBe(page.revision);
    expect(rest.continueToken).toBeUndefined();
  });

  test.each([
    [
      "a bad revision",
      { resourceVersion: "x" },
      400,
      'invalid resource version: resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax',
    ],
    [
      "an unknown field",
      { fieldSelector: "spec.x=1" },
      400,
      '"spec.x" is not a known field selector: only "metadata.name", "metadata.namespace"',
    ],
    [
      "a revision with a token",
      { continue: "x", resourceVersion: "5" },
      400,
      "specifying resource version is not allowed when using continue",
    ],
  ])("refuse %s", async (_, options, code, message) => {
    expect(await refusal(configMaps.names(options))).toEqual([code, message]);
  });

  test("select by the fields of the kind", async () => {
    const secrets = all.of("", "secrets");
    await secrets.create({ metadata: { name: "a" }, type: "x/y" });
    await secrets.create({ metadata: { name: "b" } });
    expect(await secrets.names({ fieldSelector: "type=x/y" })).toEqual(["default/a"]);
    expect(await secrets.names({ fieldSelector: "metadata.name=b" })).toEqual(["default/b"]);
    expect(await refusal(secrets.names({ fieldSelector: "data=1" }))).toEqual([
      400,
      "field label not supported: data",
    ]);
  });

  test("watch the state and then the changes", async () => {
    await configMaps.create(map("a"));
    const watcher = await configMaps.registry.watch(
      "default",
      noListOptions,
      host.clock.monotonic() + 60_000,
    );
    const types = async (): Promise<string[]> => {
      const items = await watcher.next();
      return "end" in items ? [items.end] : items.map(({ type }) => type);
    };
    expect(await types()).toEqual(["ADDED"]);
    await configMaps.delete("a");
    expect(await types()).toEqual(["DELETED"]);
    watcher.close();
  });
});
