import type { ReadCost } from "../api/request-cost.ts";
import { describe, expect, it } from "vitest";
import { settle } from "../host/host.testbed.ts";
import { type ReadRouting, readRouting136, readRoutings } from "./read-routing.ts";
import type { CacheListOptions, Selection } from "./resource-cache.ts";
import {
  type Bed,
  keysOf,
  list,
  type Listed,
  pod,
  podKey,
  select,
  start,
} from "./watch-cache.testbed.ts";

describe("LIST", () => {
  it("answers with the bytes as stored, resourceVersion in them, at the collection's revision", async () => {
    const { pods, nodes } = await start(["a/x"]);
    const outcome = await list(pods);
    const [object] = [...outcome.items];
    expect(outcome.revision).toBe(2);
    expect(new TextDecoder().decode(object!.bytes)).toBe(
      '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"x","namespace":"a","uid":"u","resourceVersion":"2"},"spec":{},"status":{}}',
    );
    expect(await list(nodes)).toMatchObject({ revision: 2 });
  });

  // Revisions 2..5 create a/1 a/2 b/1 b/2, 6 updates a/1, 7 deletes b/2.
  const history = async (routing: ReadRouting = readRouting136): Promise<Bed> => {
    const bed = await start(["a/1", "a/2", "b/1", "b/2"], { routing });
    bed.store.write({ [podKey("a/1")]: pod("a/1", { phase: "Running" }) });
    bed.store.write({ [podKey("b/2")]: undefined });
    await settle();
    return bed;
  };

  const matrix: [name: string, options: Partial<CacheListOptions>, expected: string][] = [
    ["unset", {}, "7: a/1 a/2 b/1"],
    ["unset, limit", { limit: 2 }, "7: a/1 a/2 > a/2\0 1"],
    ["0", { resourceVersion: 0 }, "7: a/1 a/2 b/1"],
    ["0 ignores the limit", { resourceVersion: 0, limit: 1 }, "7: a/1 a/2 b/1"],
    [
      "0 NotOlderThan ignores the limit",
      { resourceVersion: 0, match: "NotOlderThan", limit: 1 },
      "7: a/1 a/2 b/1",
    ],
    ["N", { resourceVersion: 6 }, "7: a/1 a/2 b/1"],
    ["N with a limit is exact", { resourceVersion: 6, limit: 3 }, "6: a/1 a/2 b/1 > b/1\0 1"],
    ["N NotOlderThan", { resourceVersion: 6, match: "NotOlderThan" }, "7: a/1 a/2 b/1"],
    [
      "N NotOlderThan, limit",
      { resourceVersion: 6, match: "NotOlderThan", limit: 1 },
      "7: a/1 > a/1\0 2",
    ],
    ["N Exact", { resourceVersion: 6, match: "Exact" }, "6: a/1 a/2 b/1 b/2"],
    ["N Exact, limit", { resourceVersion: 6, match: "Exact", limit: 4 }, "6: a/1 a/2 b/1 b/2"],
    ["N Exact older than the window", { resourceVersion: 3, match: "Exact" }, "3: a/1 a/2"],
    [
      "the same with a limit",
      { resourceVersion: 4, match: "Exact", limit: 2 },
      "4: a/1 a/2 > a/2\0 1",
    ],
    ["continue", { limit: 2, continueFrom: { revision: 6, startKey: "a/2\0" } }, "6: b/1 b/2"],
    [
      "continue, older",
      { limit: 1, continueFrom: { revision: 4, startKey: "a/1\0" } },
      "4: a/2 > a/2\0 1",
    ],
    [
      "continue, inconsistent",
      { limit: 2, continueFrom: { revision: -1, startKey: "a/2\0" } },
      "7: b/1",
    ],
    ["namespace", { selection: select("a") }, "7: a/1 a/2"],
    ["namespace, limit", { selection: select("a"), limit: 1 }, "7: a/1 > a/1\0 1"],
    ["namespace as a field", { selection: select("", "", "metadata.namespace=b") }, "7: b/1"],
    ["name", { selection: select("", "", "metadata.name=1") }, "7: a/1 b/1"],
    ["name in a namespace", { selection: select("b", "", "metadata.name=1") }, "7: b/1"],
    ["name twice", { selection: select("b", "", "metadata.name=1,metadata.name=2") }, "7:"],
    ["another namespace", { selection: select("b", "", "metadata.namespace=a") }, "7:"],
    ["not this name", { selection: select("", "", "metadata.name!=1") }, "7: a/2"],
    ["a field", { selection: select("", "", "status.phase=Running") }, "7: a/1"],
    [
      "a field at an older revision",
      { selection: select("", "", "status.phase=Running"), resourceVersion: 5, match: "Exact" },
      "5:",
    ],
    [
      "a selector with a limit has no remainder",
      { selection: select("", "!x"), limit: 2 },
      "7: a/1 a/2 > a/2\0",
    ],
    [
      "the same from the store",
      { selection: select("", "!x"), limit: 2, resourceVersion: 4, match: "Exact" },
      "4: a/1 a/2 > a/2\0",
    ],
    [
      "one key from the store",
      { selection: select("a", "", "metadata.name=2"), resourceVersion: 4, match: "Exact" },
      "4: a/2",
    ],
  ];
  // Wherever it comes from, the answer is the same.
  describe.each(readRoutings.map(([minor, routing]) => ({ minor, routing })))(
    "as of 1.$minor",
    ({ routing }) => {
      it.each(matrix)("%s", async (_, options, expected) => {
        const { pods } = await history(routing);
        const outcome = await list(pods, options);
        const more = outcome.nextKey === undefined ? [] : [">", outcome.nextKey];
        const left = outcome.remaining === undefined ? [] : [outcome.remaining];
        expect([`${outcome.revision}:`, ...keysOf(outcome), ...more, ...left].join(" ")).toBe(
          expected,
        );
      });
    },
  );

  it("refuses what is compacted, with a key to resume from when it continues a list", async () => {
    const { pods, store } = await history();
    await store.compact(5);
    const selection = select();
    expect(await pods.list({ selection, limit: 0, resourceVersion: 3, match: "Exact" })).toEqual({
      kind: "Expired",
      asked: 3,
      oldest: 5,
    });
    const continueFrom = { revision: 3, startKey: "a/1\0" };
    expect(await pods.list({ selection, limit: 1, continueFrom })).toEqual({
      kind: "Expired",
      asked: 3,
      oldest: 5,
      resumeKey: "a/1\0",
    });
  });

  it.each([
    ["Exact", { match: "Exact" as const }],
    ["NotOlderThan", { match: "NotOlderThan" as const }],
    ["limit", { limit: 1 }],
    ["no match", {}],
  ])("waits about 3 s for a future revision (%s)", async (_, options) => {
    const { pods, host } = await history();
    const outcome = pods.list({ selection: select(), limit: 0, resourceVersion: 99, ...options });
    let answered = false;
    void outcome.then(() => (answered = true));
    await host.advance(2_900);
    expect(answered).toBe(false);
    await host.advance(200);
    expect(await outcome).toEqual({ kind: "TooLarge", asked: 99, current: 7 });
  });

  it("is answered as soon as the revision comes", async () => {
    const { pods, store } = await history();
    const outcome = list(pods, { resourceVersion: 8, match: "NotOlderThan" });
    await settle();
    store.write({ "/registry/other/x": {} });
    expect((await outcome).revision).toBe(8);
  });

  it("sees every write that was acknowledged before, and asks the store once for all who wait", async () => {
    const { pods, store, host } = await history();
    store.paused = true;
    store.write({ [podKey("c/1")]: pod("c/1") });
    const lists = [list(pods), list(pods), list(pods)];
    await host.advance(500);
    expect(keysOf(await list(pods, { resourceVersion: 0 }))).toEqual(["a/1", "a/2", "b/1"]);
    store.paused = false;
    await host.advance(200);
    for (const outcome of await Promise.all(lists)) expect(keysOf(outcome)).toContain("c/1");
    expect(store.ranges).toBe(2);
    expect(host.timers).toBe(0);
  });

  it("reads from the store when the feed does not come along", async () => {
    const { pods, store, host } = await history();
    store.paused = true;
    store.write({ [podKey("c/1")]: pod("c/1") });
    const outcome = list(pods, { limit: 3 });
    const found = pods.get("c/1");
    await host.advance(3_100);
    expect(await outcome).toMatchObject({ revision: 8, nextKey: "b/1\0", remaining: 1 });
    expect(await found).toMatchObject({ revision: 8, object: { key: "c/1", revision: 8 } });
    expect(pods.counters.listsFromStore).toBe(1);
  });

  it("tells what it cost", async () => {
    const { pods, store, host } = await history();
    const costOf = async (options: Partial<CacheListOptions>): Promise<ReadCost> =>
      (await list(pods, options)).cost;
    expect(await costOf({})).toMatchObject({ objectsScanned: 3, objectsReturned: 3 });
    expect(await costOf({ limit: 2 })).toMatchObject({ objectsScanned: 2, objectsReturned: 2 });
    const byLabel = { selection: select("", "shade=none") };
    expect(await costOf(byLabel)).toMatchObject({ objectsScanned: 3, objectsReturned: 0 });
    store.paused = true;
    store.write({ [podKey("c/1")]: pod("c/1") });
    const outcome = costOf({});
    await host.advance(3_100);
    const read = { storeReads: 1, storeObjects: 4, objectsScanned: 4, objectsReturned: 4 };
    expect(await outcome).toMatchObject(read);
    expect((await outcome).storeBytes).toBeGreaterThan(4 * 50);
  });

  it("pages through one state while writes go on", async () => {
    const keys = Array.from({ length: 95 }, (_, i) => `n${i % 7}/p${i}`).sort();
    const { pods, store } = await start(keys);
    const first = await list(pods, { limit: 10 });
    const seen = keysOf(first);
    let { nextKey } = first;
    for (let i = 0; nextKey !== undefined; i++) {
      store.write({
        [podKey(`n${i % 7}/new${i}`)]: pod(`n${i % 7}/new${i}`),
        [podKey(keys[i * 9]!)]: undefined,
      });
      await settle();
      const continueFrom = { revision: first.revision, startKey: nextKey };
      const page: Listed = await list(pods, { limit: 10, continueFrom });
      expect(page.revision).toBe(first.revision);
      seen.push(...keysOf(page));
      nextKey = page.nextKey;
      expect(page.remaining).toBe(nextKey === undefined ? undefined : keys.length - seen.length);
    }
    expect(seen).toEqual(keys);
    expect(store.ranges).toBe(2);
  });

  it("walks only the index of an equality term", async () => {
    const { pods, store } = await start();
    const changes: Record<string, object> = {};
    for (let i = 0; i < 300; i++) {
      const key = `n${i % 3}/p${i}`;
      changes[podKey(key)] = pod(key, { node: `node-${i % 30}`, labels: { app: `app-${i % 10}` } });
    }
    store.write(changes);
    await settle();
    const scanned = async (selection: Selection): Promise<[found: number, scanned: number]> => {
      const before = pods.counters.objectsScanned;
      const found = keysOf(await list(pods, { selection })).length;
      return [found, pods.counters.objectsScanned - before];
    };
    expect(await scanned(select("", "", "spec.nodeName=node-7"))).toEqual([10, 10]);
    expect(await scanned(select("", "app=app-3", "spec.nodeName=node-3"))).toEqual([10, 10]);
    expect(await scanned(select("", "app in (app-3)"))).toEqual([30, 30]);
    expect(await scanned(select("n1", "app=app-4"))).toEqual([10, 10]);
    expect(await scanned(select("", "", "spec.nodeName="))).toEqual([0, 0]);
    expect(await scanned(select("", "app!=app-4"))).toEqual([270, 300]);
  });
});

describe("GET", () => {
  it("peeks, waits, or asks for the newest", async () => {
    const { pods, store, host } = await start(["a/x"]);
    store.paused = true;
    store.write({ [podKey("a/x")]: pod("a/x", { phase: "Running" }) });
    const newest = pods.get("a/x");
    const notOlder = pods.get("a/x", 3);
    await settle();
    expect(await pods.get("a/x", 0)).toMatchObject({ revision: 2, object: { revision: 2 } });
    expect(pods.peek("a/x")?.revision).toBe(2);
    store.paused = false;
    await host.advance(100);
    expect(await newest).toMatchObject({ revision: 3, object: { revision: 3 } });
    expect(await notOlder).toMatchObject({ revision: 3, object: { revision: 3 } });
    expect(await pods.get("a/missing")).toMatchObject({
      kind: "Found",
      object: undefined,
      revision: 3,
    });
    const future = pods.get("a/x", 9);
    await host.advance(3_100);
    expect(await future).toEqual({ kind: "TooLarge", asked: 9, current: 3 });
  });

  it("peeks at all of a namespace, and tells when the resource changed", async () => {
    const { pods, nodes, store } = await start(["a/x", "b/y"]);
    expect([...pods.peekAll("a")].map(({ key }) => key)).toEqual(["a/x"]);
    expect([...pods.peekAll("")].map(({ key }) => key)).toEqual(["a/x", "b/y"]);
    store.write({
      "/registry/minions/n": { kind: "Node", apiVersion: "v1", metadata: { name: "n" } },
    });
    await settle();
    expect([pods.changedAt, nodes.changedAt, pods.revision]).toEqual([3, 4, 4]);
    expect([...nodes.peekAll("")].map(({ key }) => key)).toEqual(["n"]);
  });
});
