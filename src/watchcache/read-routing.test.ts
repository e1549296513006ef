// Where reads go, by Kubernetes minor, and what that means for the store.
import { describe, expect, it } from "vitest";
import { settle } from "../host/host.testbed.ts";
import { stepAt } from "../std/steps.ts";
import { readPlan } from "./read-plan.ts";
import { readRoutings, sourceOf } from "./read-routing.ts";
import type { CacheListOptions } from "./resource-cache.ts";
import { createWatchCache } from "./watch-cache.ts";
import {
  keysOf,
  list,
  pod,
  podKey,
  podLayout,
  select,
  start,
  TestClient,
  TestStore,
  watch,
} from "./watch-cache.testbed.ts";
import { createTestHost } from "../host/host.testbed.ts";

const routingAt = (minor: number) => stepAt(readRoutings, minor);

describe("sourceOf", () => {
  const token = { revision: 5, startKey: "a" };
  const unset: Partial<CacheListOptions> = {};
  const limited: Partial<CacheListOptions> = { limit: 500 };
  const any: Partial<CacheListOptions> = { resourceVersion: 0, limit: 500 };
  const notOlder: Partial<CacheListOptions> = { resourceVersion: 5 };
  const exact: Partial<CacheListOptions> = { resourceVersion: 5, match: "Exact" };
  const legacyExact: Partial<CacheListOptions> = { resourceVersion: 5, limit: 500 };
  const rest: Partial<CacheListOptions> = { limit: 500, continueFrom: token };

  // Columns: up to 1.30, 1.31 to 1.33, from 1.34.
  it.each([
    ["unset", unset, ["store", "cache", "cache"]],
    ["unset, limit", limited, ["store", "cache", "cache"]],
    ["0, limit", any, ["cache", "cache", "cache"]],
    ["N", notOlder, ["cache", "cache", "cache"]],
    ["N Exact", exact, ["store", "store", "cache"]],
    ["N, limit", legacyExact, ["store", "store", "cache"]],
    ["continue", rest, ["store", "store", "cache"]],
  ] as const)("of %s", (_, options, sources) => {
    const plan = readPlan({ selection: select(), limit: 0, ...options });
    const at = (minor: number) => sourceOf(plan, routingAt(minor), true);
    expect([16, 19, 30].map(at)).toEqual(Array(3).fill(sources[0]));
    expect([31, 33].map(at)).toEqual(Array(2).fill(sources[1]));
    expect([34, 36].map(at)).toEqual(Array(2).fill(sources[2]));
  });

  it.each([
    ["unset", unset, "store"],
    ["0, limit", any, "store"],
    ["N", notOlder, "cache"],
  ] as const)("of %s while the cache loads, up to 1.30", (_, options, source) => {
    const plan = readPlan({ selection: select(), limit: 0, ...options });
    expect(sourceOf(plan, routingAt(30), false)).toBe(source);
    expect(sourceOf(plan, routingAt(31), false)).toBe("cache");
  });
});

describe("a LIST of one node's pods among many", () => {
  const selection = select("", "", "spec.nodeName=n1");
  const costAt = async (minor: number, options: Partial<CacheListOptions>) => {
    const { pods, store } = await start([], { routing: routingAt(minor) });
    const names = Array.from({ length: 300 }, (_, at) => `a/p${String(at).padStart(3, "0")}`);
    store.write(
      Object.fromEntries(names.map((key, at) => [podKey(key), pod(key, { node: `n${at % 100}` })])),
    );
    await settle();
    const outcome = await list(pods, { selection, ...options });
    expect(keysOf(outcome)).toEqual(["a/p001", "a/p101", "a/p201"]);
    return outcome.cost;
  };

  // All 300 in pages of 64 keys, whoever wants three of them.
  const whole = { storeReads: 5, storeObjects: 300, objectsScanned: 300, objectsReturned: 3 };
  const nothingStored = { storeReads: 0, storeObjects: 0, storeBytes: 0, objectsReturned: 3 };

  it.each([
    [16, {}, whole],
    [30, {}, whole],
    [31, {}, { ...nothingStored, objectsScanned: 3 }],
    [36, {}, { ...nothingStored, objectsScanned: 3 }],
    // Before 1.19 without an index.
    [16, { resourceVersion: 0 }, { ...nothingStored, objectsScanned: 300 }],
    [19, { resourceVersion: 0 }, { ...nothingStored, objectsScanned: 3 }],
  ] as const)("costs as of 1.%i with %j", async (minor, options, expected) => {
    expect(await costAt(minor, options)).toMatchObject(expected);
  });

  it("is walked over before 1.36 where only Wavetank has an index", async () => {
    for (const [minor, scanned] of [
      [35, 2],
      [36, 1],
    ] as const) {
      const { pods, store } = await start(["a/1"], { routing: routingAt(minor) });
      store.write({ [podKey("a/2")]: pod("a/2", { labels: { app: "x" } }) });
      await settle();
      await list(pods, { selection: select("", "app=x") });
      expect(pods.counters.objectsScanned).toBe(scanned);
    }
  });
});

describe("a watch from where a list of the store ended", () => {
  it("tells nothing twice although the cache lags behind it", async () => {
    const { pods, store } = await start(["a/1"], { routing: routingAt(30) });
    store.paused = true;
    store.write({ [podKey("a/2")]: pod("a/2") });
    const outcome = await list(pods);
    expect(keysOf(outcome)).toEqual(["a/1", "a/2"]);
    expect(pods.revision).toBeLessThan(outcome.revision);
    const from = { kind: "After", revision: outcome.revision } as const;
    const client = new TestClient(await watch(pods, { from }));
    store.paused = false;
    store.write({ [podKey("a/3")]: pod("a/3") });
    await settle();
    expect(await client.read()).toEqual(["ADDED a/3@4"]);
  });
});

describe("a GET", () => {
  it.each([
    [16, 1],
    [35, 1],
    [36, 0],
  ])("of the newest state as of 1.%i reads the store %i times", async (minor, reads) => {
    const { pods, store } = await start(["a/1"], { routing: routingAt(minor) });
    const before = store.ranges;
    expect(await pods.get("a/1")).toMatchObject({ object: { key: "a/1" } });
    expect(store.ranges - before).toBe(reads);
    await pods.get("a/1", 0);
    expect(store.ranges - before).toBe(reads);
  });
});

describe("a cache that is still loading", () => {
  const cold = async (minor: number) => {
    const store = new TestStore();
    store.write({ [podKey("a/1")]: pod("a/1"), [podKey("a/2")]: pod("a/2") });
    const cache = createWatchCache(createTestHost(), store, {
      prefix: "/registry/",
      routing: routingAt(minor),
      servedWhileLoading: ["pods"],
    });
    const pods = cache.addResource(podLayout);
    const started = cache.start();
    // The pods come with the next read of the store, which is not answered yet.
    if (minor <= 30) await started;
    return { pods, started };
  };

  it("lets the store answer up to 1.30, revision 0 included, pages and all", async () => {
    const { pods } = await cold(30);
    expect(pods.ready).toBe(false);
    const outcome = await list(pods, { resourceVersion: 0, limit: 1 });
    expect(keysOf(outcome)).toEqual(["a/1"]);
    expect(outcome.nextKey).toBe("a/1\0");
    expect(pods.counters).toMatchObject({ listsFromStore: 1, listsFromCache: 0 });
    await settle();
    expect(pods.ready).toBe(true);
    expect(keysOf(await list(pods, { resourceVersion: 0, limit: 1 }))).toEqual(["a/1", "a/2"]);
    expect(pods.counters).toMatchObject({ listsFromStore: 1, listsFromCache: 1 });
  });

  it("makes reads wait from 1.31 on", async () => {
    const { pods, started } = await cold(31);
    const listed = list(pods, { resourceVersion: 0 });
    await started;
    expect(keysOf(await listed)).toEqual(["a/1", "a/2"]);
    expect(pods.counters.listsFromStore).toBe(0);
  });
});
