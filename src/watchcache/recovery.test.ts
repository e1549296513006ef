import { describe, expect, it } from "vitest";
import { createTestHost, settle } from "../host/host.testbed.ts";
import type { ResourceLayout } from "./resource-cache.ts";
import {
  keysOf,
  list,
  nodeLayout,
  pod,
  podKey,
  podLayout,
  select,
  start,
  TestClient,
  TestStore,
  watch,
} from "./watch-cache.testbed.ts";
import { createWatchCache } from "./watch-cache.ts";

describe("the first load", () => {
  it("makes requests wait, and retries while the store is away", async () => {
    const host = createTestHost();
    const store = new TestStore();
    store.write({ [podKey("a/x")]: pod("a/x") });
    store.unavailable = true;
    const cache = createWatchCache(host, store, { prefix: "/registry/" });
    const pods = cache.addResource(podLayout);
    const started = cache.start();
    const listed = list(pods, { resourceVersion: 0 });
    await host.advance(1_000);
    expect(pods.ready).toBe(false);
    store.unavailable = false;
    await host.advance(1_000);
    await started;
    expect(keysOf(await listed)).toEqual(["a/x"]);
    expect(cache.revision).toBe(2);
  });

  it("reads in pages, all at one revision", async () => {
    const keys = Array.from({ length: 1_201 }, (_, i) => `a/p${i}`);
    const { pods, store } = await start(keys);
    expect(pods.size).toBe(1_201);
    expect(store.ranges).toBe(4);
  });

  it("takes a resource that comes later, with what happens while it loads", async () => {
    const { cache, store } = await start();
    const late: ResourceLayout = {
      ...nodeLayout,
      label: "late",
      prefix: "/registry/late.example/",
    };
    const node = (name: string): object => ({ kind: "N", apiVersion: "v1", metadata: { name } });
    store.write({ "/registry/late.example/a": node("a") });
    await settle();
    const resource = cache.addResource(late);
    store.write({ "/registry/late.example/b": node("b"), "/registry/late.example/a": undefined });
    expect(keysOf(await list(resource))).toEqual(["b"]);
    expect(resource.ready).toBe(true);
  });
});

describe("a feed that breaks", () => {
  it("goes on where it was after a lost connection, and watchers miss nothing", async () => {
    const { pods, store, host } = await start(["a/x"]);
    const client = new TestClient(await watch(pods));
    store.unavailable = true;
    store.disconnect();
    store.write({ [podKey("a/y")]: pod("a/y") });
    store.write({ [podKey("a/y")]: undefined });
    await host.advance(1_000);
    expect(keysOf(await list(pods, { resourceVersion: 0 }))).toEqual(["a/x"]);
    store.unavailable = false;
    await host.advance(5_000);
    expect(await client.read()).toEqual(["ADDED a/y@3", "DELETED a/y@4"]);
    expect(store.watches).toBe(1);
  });

  it("reloads when history is gone: changed resources reset their watchers, others go on", async () => {
    const { pods, nodes, store, host } = await start(["a/x", "a/y"]);
    const podClient = new TestClient(await watch(pods));
    const nodeClient = new TestClient(await watch(nodes));
    const bookmarked = new TestClient(await watch(nodes, { bookmarks: true }));
    await podClient.read();
    store.unavailable = true;
    store.disconnect();
    store.write({ [podKey("a/x")]: undefined });
    await store.compact(4);
    store.unavailable = false;
    await host.advance(5_000);
    expect(await podClient.read()).toEqual(["CacheReset"]);
    expect(keysOf(await list(pods))).toEqual(["a/y"]);
    expect(pods.counters.watchersReset).toBe(1);
    const from = { kind: "After", revision: 3 } as const;
    const options = { selection: select(), initialEventsEnd: false, bookmarks: false };
    expect(await pods.watch({ ...options, from, endsAt: Infinity })).toMatchObject({ oldest: 4 });
    const node = { kind: "Node", apiVersion: "v1", metadata: { name: "n" } };
    store.write({ "/registry/minions/n": node });
    expect(await nodeClient.read()).toEqual(["ADDED n@5"]);
    await bookmarked.read();
    await host.advance(70_000);
    expect(await bookmarked.read()).toEqual(["BOOKMARK@5"]);
  });

  it("reloads when the store went back, and watchers start anew", async () => {
    const { cache, pods, store, host } = await start(["a/x"]);
    const lost = store.write({ [podKey("a/y")]: pod("a/y") });
    await settle();
    const client = new TestClient(await watch(pods));
    expect(keysOf(await list(pods))).toEqual(["a/x", "a/y"]);
    store.goBack(lost - 1);
    await host.advance(1_000);
    expect(await client.read()).toEqual(["CacheReset"]);
    expect(keysOf(await list(pods))).toEqual(["a/x"]);
    expect([cache.revision, lost]).toEqual([2, 3]);
    const again = new TestClient(await watch(pods));
    store.write({ [podKey("a/z")]: pod("a/z") });
    expect(await again.read()).toEqual(["ADDED a/z@3"]);
    expect(keysOf(await list(pods, { resourceVersion: 3 }))).toEqual(["a/x", "a/z"]);
  });

  it("leads a watcher that was still catching up over to the reloaded state", async () => {
    const { nodes, store, host } = await start();
    const node = { kind: "Node", apiVersion: "v1", metadata: { name: "n" } };
    store.write({ "/registry/minions/n": node });
    await settle();
    const client = new TestClient(await watch(nodes, { from: { kind: "State", revision: 0 } }));
    store.disconnect();
    store.write({ [podKey("a/x")]: pod("a/x") });
    await store.compact(3);
    await host.advance(1_000);
    store.write({ "/registry/minions/n": node });
    expect(await client.read()).toEqual(["ADDED n@2", "MODIFIED n@4"]);
  });
});

describe("values that are no objects", () => {
  it("are left out, logged and counted, at the load and later", async () => {
    const { pods, store, host } = await start(["a/x"]);
    const client = new TestClient(await watch(pods));
    const bad: [key: string, value: string | object][] = [
      ["a/torn", '{"kind":"Pod","metadata":{"name":"to'],
      ["a/text", "hello"],
      ["a/array", "[]"],
      ["a/proto", "k8s\0..."],
      ["stray", pod("a/x")],
      ["a/b/c", pod("a/x")],
      ["a/x", "{"],
    ];
    for (const [key, value] of bad) store.write({ [podKey(key)]: value });
    // What cannot be read has replaced what was there.
    expect(await client.read()).toEqual(["DELETED a/x@9"]);
    expect(pods.counters.badValues).toBe(7);
    expect(host.logged).toHaveLength(7);
    store.write({ [podKey("a/x")]: pod("a/x") });
    expect(await client.read()).toEqual(["ADDED a/x@10"]);

    const again = createWatchCache(createTestHost(), store, { prefix: "/registry/" });
    const reloaded = again.addResource(podLayout);
    await again.start();
    expect(keysOf(await list(reloaded))).toEqual(["a/x"]);
    expect(reloaded.counters.badValues).toBe(6);
  });

  it("may be decoded by whoever knows their form", async () => {
    const decodeStored = (value: Uint8Array): Uint8Array => value.subarray(4);
    const { pods, store } = await start([], { decodeStored });
    store.write({ [podKey("a/x")]: `k8s\0${JSON.stringify(pod("a/x", { labels: { a: "b" } }))}` });
    await settle();
    expect(keysOf(await list(pods, { selection: select("", "a=b") }))).toEqual(["a/x"]);
  });
});

describe("close", () => {
  it("ends watchers and waits, and leaves no timer", async () => {
    const { cache, pods, store, host } = await start(["a/x"]);
    const client = new TestClient(await watch(pods, { bookmarks: true }));
    const waiting = pods.get("a/x", 99);
    await settle();
    cache.close();
    expect(await client.read()).toEqual(["Closed"]);
    expect(await waiting).toEqual({ kind: "TooLarge", asked: 99, current: 2 });
    expect([host.timers, store.watches]).toEqual([0, 0]);
  });
});
