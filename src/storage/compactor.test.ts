import { describe, expect, it } from "vitest";
import type { Host } from "../host/host.ts";
import { createNodeHost } from "../host/node/node-host.ts";
import {
  type CompactorOptions,
  compactionTarget,
  compactorDefaults,
  sharedCompactionKey,
  startCompactor,
} from "./compactor.ts";
import { createMemoryStore } from "./memory/memory-store.ts";
import type { Store } from "./store.ts";

const real = createNodeHost("silent", () => undefined);

/** A host whose time moves when the test says so. */
function manualHost(): Host & { pass(ms: number): Promise<void> } {
  let time = 0;
  let timers: { at: number; fn: () => void }[] = [];
  const quiet = async () => {
    for (let i = 0; i < 12; i += 1) await real.clock.turn();
  };
  return {
    ...real,
    clock: {
      now: () => time,
      monotonic: () => time,
      after(ms, fn) {
        const timer = { at: time + ms, fn };
        timers.push(timer);
        return () => {
          timers = timers.filter((other) => other !== timer);
        };
      },
      turn: () => real.clock.turn(),
    },
    async pass(ms) {
      const until = time + ms;
      for (;;) {
        const next = timers.toSorted((a, b) => a.at - b.at)[0];
        if (next === undefined || next.at > until) break;
        timers = timers.filter((timer) => timer !== next);
        time = next.at;
        next.fn();
        await quiet();
      }
      time = until;
    },
  };
}

const options: CompactorOptions = {
  ...compactorDefaults,
  retainMs: 1000,
  retainRevisions: 50,
  intervalMs: 100,
  revisionsMin: 10,
  stepRevisions: 20,
  stepPauseMs: 1,
};

async function write(store: Store, count: number): Promise<number> {
  const value = new Uint8Array(1);
  let revision = 0;
  for (let i = 0; i < count; i += 1) {
    const success = [{ kind: "Put", key: "/a", value }] as const;
    revision = (await store.transact({ compare: [], success, failure: [] })).revision;
  }
  return revision;
}

describe("how far history may go", () => {
  const samples = [0, 400, 800, 1200].map((atMs) => ({ atMs, revision: 100 + atMs }));
  it.each([
    ["nothing is old enough", 900, 5000, undefined],
    ["the newest sample that is old enough", 1850, 5000, 900],
    ["the number of revisions holds it back", 1850, 920, 870],
    ["there are too few revisions", 1850, 40, undefined],
  ])("%s", (_name, atMs, revision, expected) => {
    expect(compactionTarget(samples, { atMs, revision }, options)).toBe(expected);
  });
});

describe("the compactor", () => {
  it("drops what is older than both bounds, in steps", async () => {
    const host = manualHost();
    const store = createMemoryStore(real);
    const steps: number[] = [];
    const watched: Store = {
      currentRevision: () => store.currentRevision(),
      range: (range) => store.range(range),
      transact: (transaction) => store.transact(transaction),
      watch: (watch, sink) => store.watch(watch, sink),
      compact: (revision) => {
        steps.push(revision);
        return store.compact(revision);
      },
      grantLease: (ttl) => store.grantLease(ttl),
      revokeLease: (lease) => store.revokeLease(lease),
      status: () => store.status(),
      close: () => store.close(),
    };
    const compactor = startCompactor(host, watched, options);
    const old = await write(store, 100);
    await host.pass(1050);
    expect(steps).toEqual([]);
    const newest = await write(store, 30);
    await host.pass(100);
    // 101 revisions are old enough, but 50 of 131 are kept.
    expect([old, newest]).toEqual([101, 131]);
    expect(steps).toEqual([20, 40, 60, 80, 81]);
    await write(store, 200);
    await host.pass(2000);
    expect((await store.status()).compactRevision).toBe(281);
    await compactor.stop();
    await write(store, 200);
    await host.pass(5000);
    expect((await store.status()).compactRevision).toBe(281);
    await store.close();
  });

  it("leaves little for later", async () => {
    const host = manualHost();
    const store = createMemoryStore(real);
    const compactor = startCompactor(host, store, options);
    await write(store, 58);
    await host.pass(3000);
    expect((await store.status()).compactRevision).toBe(0);
    await compactor.stop();
    await store.close();
  });

  it("agrees with others on the same store: one of them compacts", async () => {
    const hosts = [manualHost(), manualHost(), manualHost()];
    const store = createMemoryStore(real);
    const compacted: string[] = [];
    const compactors = hosts.map((host, i) => {
      const seen: Host = {
        ...host,
        log: { ...host.log, info: (_, fields) => compacted.push(`${i} ${fields?.["revision"]}`) },
      };
      return startCompactor(seen, store, { ...options, sharedKey: sharedCompactionKey });
    });
    await write(store, 200);
    for (let i = 0; i < 15; i += 1) await Promise.all(hosts.map((host) => host.pass(100)));
    expect(compacted).toHaveLength(1);
    expect(compacted[0]).toMatch(/^[012] 151$/);
    expect((await store.status()).compactRevision).toBe(151);
    const key = await store.range({ start: sharedCompactionKey });
    expect(key).toMatchObject({ kvs: [{ version: 1, value: new TextEncoder().encode("151") }] });
    await Promise.all(compactors.map((compactor) => compactor.stop()));
    await store.close();
  });

  it("goes on after an error", async () => {
    const host = manualHost();
    const store = createMemoryStore(real);
    const warnings: string[] = [];
    const noisy: Host = { ...host, log: { ...host.log, warn: (line) => warnings.push(line) } };
    let failures = 3;
    const failing = Object.create(store) as Store;
    failing.status = async () => {
      failures -= 1;
      if (failures >= 0) throw new Error("away");
      return store.status();
    };
    failing.compact = (revision) => store.compact(revision);
    const compactor = startCompactor(noisy, failing, options);
    await write(store, 100);
    await host.pass(2000);
    expect(warnings).toHaveLength(3);
    expect((await store.status()).compactRevision).toBe(51);
    await compactor.stop();
    await store.close();
  });
});
