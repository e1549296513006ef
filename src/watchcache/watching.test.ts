import { describe, expect, it } from "vitest";
import { settle } from "../host/host.testbed.ts";
import type { CacheWatchOptions } from "./resource-cache.ts";
import {
  pod,
  podKey,
  select,
  start,
  TestClient,
  type TestStore,
  watch,
} from "./watch-cache.testbed.ts";

const after = (revision: number): CacheWatchOptions["from"] => ({ kind: "After", revision });

describe("WATCH from a revision", () => {
  it("replays the window, then follows", async () => {
    const { pods, store } = await start(["a/x"]);
    store.write({ [podKey("a/y")]: pod("a/y") });
    store.write({ [podKey("a/x")]: pod("a/x", { phase: "Running" }) });
    await settle();
    const client = new TestClient(await watch(pods, { from: after(3) }));
    expect(await client.read()).toEqual(["MODIFIED a/x@4"]);
    store.write({ [podKey("a/y")]: undefined, [podKey("a/z")]: pod("a/z") });
    expect(await client.read()).toEqual(["DELETED a/y@5", "ADDED a/z@5"]);
    client.watcher.close();
    expect(await client.read()).toEqual(["Closed"]);
  });

  it("refuses what is older than the window", async () => {
    const { pods } = await start(["a/x", "a/y"]);
    const options = { selection: select(), initialEventsEnd: false, bookmarks: false };
    expect(await pods.watch({ ...options, from: after(2), endsAt: Infinity })).toEqual({
      kind: "Expired",
      asked: 2,
      oldest: 3,
    });
  });

  it("sends nothing up to a revision of the future", async () => {
    const { pods, store } = await start();
    const client = new TestClient(await watch(pods, { from: after(3) }));
    for (const key of ["a/2", "a/3", "a/4"]) store.write({ [podKey(key)]: pod(key) });
    expect(await client.read()).toEqual(["ADDED a/4@4"]);
  });

  it("carries the last state and the revision of the deletion", async () => {
    const { pods, store } = await start(["a/x"]);
    const watcher = await watch(pods);
    store.write({ [podKey("a/x")]: undefined });
    await settle();
    const items = await watcher.next();
    expect(items).toMatchObject([{ type: "DELETED", object: { key: "a/x", revision: 3 } }]);
    const [item] = items as unknown as [{ object: { bytes: Uint8Array } }];
    expect(JSON.parse(new TextDecoder().decode(item.object.bytes))).toEqual({
      ...pod("a/x"),
      metadata: { name: "x", namespace: "a", uid: "u", resourceVersion: "3" },
    });
  });

  it("gives all watchers the same items", async () => {
    const { pods, store } = await start();
    const watchers = [await watch(pods), await watch(pods, { selection: select("a") })];
    store.write({ [podKey("a/x")]: pod("a/x") });
    await settle();
    const [first, second] = await Promise.all(watchers.map((watcher) => watcher.next()));
    expect((first as unknown[])[0]).toBe((second as unknown[])[0]);
  });
});

describe("WATCH with selectors", () => {
  const selections: [name: string, selection: ReturnType<typeof select>][] = [
    ["an indexed label", select("", "app=web")],
    ["a label in a namespace", select("a", "app in (web)")],
    ["a label that has no index", select("", "tier=web")],
    ["an indexed field", select("", "", "spec.nodeName=web")],
    ["a name and a field", select("a", "", "metadata.name=x,spec.nodeName=web")],
    ["a name in any namespace", select("", "app=web", "metadata.name=x")],
  ];
  it.each(selections)(
    "turns entering into ADDED and leaving into DELETED: %s",
    async (_, selection) => {
      const { pods, store } = await start();
      const client = new TestClient(await watch(pods, { selection }));
      const put = (value: string): void => {
        const labels = { app: value, tier: value };
        store.write({ [podKey("a/x")]: pod("a/x", { labels, node: value }) });
      };
      put("db");
      put("web");
      put("web");
      put("db");
      put("db");
      put("web");
      store.write({ [podKey("a/x")]: undefined });
      store.write({ [podKey("b/y")]: pod("b/y") });
      expect(await client.read()).toEqual([
        "ADDED a/x@3",
        "MODIFIED a/x@4",
        "DELETED a/x@5",
        "ADDED a/x@7",
        "DELETED a/x@8",
      ]);
    },
  );
});

describe("WATCH from the state", () => {
  it("sends it as ADDED, then the end bookmark, then changes", async () => {
    const { pods, store } = await start(["b/x", "a/x", "a/y"]);
    const options = { from: { kind: "State" } as const, initialEventsEnd: true };
    const client = new TestClient(await watch(pods, { ...options, selection: select("a") }));
    store.write({ [podKey("a/x")]: undefined });
    expect(await client.read()).toEqual([
      "ADDED a/x@3",
      "ADDED a/y@4",
      "BOOKMARK@4!",
      "DELETED a/x@5",
    ]);
    const empty = new TestClient(await watch(pods, { ...options, selection: select("none") }));
    expect(await empty.read()).toEqual(["BOOKMARK@5!"]);
  });

  it("waits for a state that is new enough, about 3 s", async () => {
    const { pods, store, host } = await start(["a/x"]);
    store.paused = true;
    store.write({ [podKey("a/y")]: pod("a/y") });
    const stale = new TestClient(await watch(pods, { from: { kind: "State", revision: 0 } }));
    expect(await stale.read()).toEqual(["ADDED a/x@2"]);
    const newest = watch(pods, { from: { kind: "State" } });
    await settle();
    store.paused = false;
    await host.advance(100);
    expect(await new TestClient(await newest).read()).toEqual(["ADDED a/x@2", "ADDED a/y@3"]);
    const outcome = pods.watch({
      selection: select(),
      from: { kind: "State", revision: 9 },
      initialEventsEnd: true,
      bookmarks: true,
      endsAt: Infinity,
    });
    await host.advance(3_100);
    expect(await outcome).toEqual({ kind: "TooLarge", asked: 9, current: 3 });
  });

  it("reads a large state in batches, and loses nothing of what happens meanwhile", async () => {
    const keys = Array.from({ length: 1_000 }, (_, i) => `a/p${1_000 + i}`);
    const { pods, store } = await start(keys);
    const watcher = await watch(pods, { from: { kind: "State" } });
    const first = (await watcher.next()) as unknown[];
    expect(first).toHaveLength(256);
    for (const key of keys) store.write({ [podKey(key)]: undefined });
    await settle();
    const rest = await new TestClient(watcher).read();
    expect(rest.filter((text) => text.startsWith("ADDED"))).toHaveLength(744);
    expect(rest.slice(744)).toEqual(keys.map((key, i) => `DELETED ${key}@${1_002 + i}`));
  });
});

describe("bookmarks", () => {
  it("come about every minute and 2 s before the end, with the revision of the whole store", async () => {
    const { pods, store, host } = await start(["a/x"]);
    const endsAt = host.clock.monotonic() + 150_000;
    const client = new TestClient(await watch(pods, { bookmarks: true, endsAt }));
    store.write({ "/registry/other/x": {} });
    await host.advance(60_000);
    expect(await client.read()).toEqual([]);
    await host.advance(10_000);
    expect(await client.read()).toEqual(["BOOKMARK@3"]);
    store.write({ "/registry/other/x": {} });
    await host.advance(70_000);
    expect(await client.read()).toEqual(["BOOKMARK@4"]);
    await host.advance(6_500);
    expect(await client.read()).toEqual([]);
    await host.advance(1_500);
    expect(await client.read()).toEqual(["BOOKMARK@4"]);
    client.watcher.close();
    expect(host.timers).toBe(0);
  });

  it("share one timer", async () => {
    const { pods, host } = await start();
    const endsAt = host.clock.monotonic() + 3_600_000;
    for (let i = 0; i < 100; i++) await watch(pods, { bookmarks: true, endsAt });
    expect(host.timers).toBe(1);
  });
});

describe("fan-out", () => {
  it("shows an event only to the watchers that it may concern, whoever else is there", async () => {
    const { pods, store } = await start();
    for (let i = 0; i < 10_000; i++) {
      await watch(pods, { selection: select("a", "", `metadata.name=p${i}`) });
    }
    for (let i = 0; i < 100; i++) await watch(pods, { selection: select(`n${i}`) });
    for (let i = 0; i < 100; i++) await watch(pods, { selection: select("", `app=a${i}`) });
    for (let i = 0; i < 100; i++) {
      await watch(pods, { selection: select("", "", `spec.nodeName=n${i}`) });
    }
    const visits = async (key: string, spec: Parameters<typeof pod>[1]): Promise<number> => {
      const before = pods.counters.watchersVisited;
      store.write({ [podKey(key)]: pod(key, spec) });
      await settle();
      return pods.counters.watchersVisited - before;
    };
    expect(pods.counters.watchersOpen).toBe(10_300);
    expect(await visits("a/p77", {})).toBe(1);
    expect(await visits("a/p77", { phase: "Running" })).toBe(1);
    expect(await visits("b/p77", {})).toBe(0);
    expect(await visits("n5/p", { node: "n3", labels: { app: "a7" } })).toBe(3);
    expect(await visits("n5/p", { node: "n4", labels: { app: "a7" } })).toBe(4);
  });

  it("keeps nothing of a closed watcher", async () => {
    const { pods, store } = await start();
    const watchers = await Promise.all(
      [select(), select("a"), select("a", "", "metadata.name=x"), select("", "app=web")].map(
        (selection) => watch(pods, { selection }),
      ),
    );
    for (const watcher of watchers) watcher.close();
    store.write({ [podKey("a/x")]: pod("a/x", { labels: { app: "web" } }) });
    await settle();
    expect(pods.counters).toMatchObject({ watchersVisited: 0, watchersOpen: 0, watchersOpened: 4 });
  });
});

describe("slow readers", () => {
  const burst = (store: TestStore, count: number): void => {
    const changes: Record<string, object> = {};
    for (let i = 0; i < count; i++) changes[podKey(`a/p${i}`)] = pod(`a/p${i}`);
    store.write(changes);
  };

  it("lose nothing in a burst that no queue could hold, and get nothing twice", async () => {
    const { pods, store } = await start();
    const client = new TestClient(await watch(pods));
    expect(await client.read()).toEqual([]);
    burst(store, 400);
    burst(store, 400);
    burst(store, 2_000);
    burst(store, 3);
    const seen = await client.read();
    const revisions = [2, 3, 4, 5].map((r) => seen.filter((text) => text.endsWith(`@${r}`)).length);
    expect(revisions).toEqual([400, 400, 2_000, 3]);
    expect(await client.read()).toEqual([]);
    burst(store, 1);
    expect(await client.read()).toEqual(["MODIFIED a/p0@6"]);
  });

  it("are closed when they stand still behind a full queue", async () => {
    const { pods, store, host } = await start();
    const stalled = await watch(pods);
    const idle = await watch(pods, { selection: select("quiet") });
    for (let i = 0; i < 600; i++) store.write({ [podKey("a/x")]: pod("a/x") });
    await host.advance(29_000);
    expect(pods.counters.watchersTooSlow).toBe(0);
    await host.advance(5_000);
    expect(pods.counters).toMatchObject({ watchersTooSlow: 1, watchersOpen: 1 });
    expect(await stalled.next()).toEqual({ end: "TooSlow" });
    idle.close();
    expect(host.timers).toBe(0);
  });

  it("are closed when what they have not read leaves the window", async () => {
    const window = { eventsMin: 10, eventsMax: 20 };
    const { pods, store } = await start(["a/x"], { window });
    const replaying = await watch(pods, { from: after(2) });
    const reading = await watch(pods, { from: { kind: "State" } });
    const live = await watch(pods);
    for (let i = 0; i < 19; i++) store.write({ [podKey("a/x")]: pod("a/x") });
    await settle();
    expect(pods.counters.watchersTooSlow).toBe(0);
    for (let i = 0; i < 4; i++) store.write({ [podKey("a/x")]: pod("a/x") });
    await settle();
    expect(await reading.next()).toEqual({ end: "TooSlow" });
    // The first two were live from the start, with room in their queues.
    expect(await replaying.next()).toHaveLength(23);
    expect(await live.next()).toHaveLength(23);
    expect(pods.counters).toMatchObject({ watchersTooSlow: 1, windowEvents: 20 });
  });
});

describe("the window", () => {
  it("keeps young changes, a minimum of old ones, and never more bytes than allowed", async () => {
    const window = { aimMs: 75_000, eventsMin: 5, eventsMax: 100, bytesMax: 60_000 };
    const { pods, store, host } = await start(["a/x"], { window });
    const write = async (): Promise<void> => {
      store.write({ [podKey("a/x")]: pod("a/x") });
      await settle();
    };
    for (let i = 0; i < 20; i++) await write();
    expect(pods.counters.windowEvents).toBe(20);
    await host.advance(80_000);
    await write();
    expect(pods.counters.windowEvents).toBe(5);
    for (let i = 0; i < 50; i++) await write();
    expect(pods.counters.windowEvents).toBeLessThan(35);
    expect(pods.counters.windowBytes).toBeLessThanOrEqual(60_000);
  });
});
