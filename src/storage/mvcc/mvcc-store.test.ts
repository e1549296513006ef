import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createNodeHost } from "../../host/node/node-host.ts";
import { MemoryLog } from "../memory/memory-log.ts";
import {
  type Compare,
  type Operation,
  type Store,
  StoreUnavailableError,
  type TransactionResult,
} from "../store.ts";
import { createMvccStore } from "./mvcc-store.ts";
import type { LogBatch } from "./revision-log.ts";

const host = createNodeHost("silent", () => undefined);

/** A log whose appends end when the test says so. */
class HeldLog extends MemoryLog {
  readonly batches: LogBatch[] = [];
  #held: { batch: LogBatch; resolve: () => void; reject: (error: Error) => void } | undefined;

  override append(batch: LogBatch): Promise<void> {
    this.batches.push(batch);
    return new Promise((resolve, reject) => {
      this.#held = { batch, resolve, reject };
    });
  }

  /** The revision that became durable; undefined when nothing was under way. */
  release(): number | undefined {
    const held = this.#held;
    if (held === undefined) return undefined;
    this.#held = undefined;
    void super.append(held.batch).then(held.resolve);
    return held.batch.records.at(-1)?.revision;
  }

  fail(error: Error): void {
    this.#held?.reject(error);
    this.#held = undefined;
  }
}

async function quiet(): Promise<void> {
  for (let i = 0; i < 4; i += 1) await host.clock.turn();
}

/* ---- the naive model: every change ever made, in a list ---- */

interface Change {
  readonly revision: number;
  readonly key: string;
  /** Undefined: deleted. */
  readonly value: string | undefined;
}

interface Model {
  readonly changes: Change[];
  applied: number;
  durable: number;
  compacted: number;
  readonly pending: { expected: Plain; result: Promise<TransactionResult> }[];
  readonly watches: ModelWatch[];
}

interface Plain {
  readonly succeeded: boolean;
  readonly revision: number;
  readonly results: readonly (string | undefined)[];
}

interface ModelWatch {
  readonly from: number;
  readonly start: string;
  readonly end: string;
  readonly seen: string[];
  ended: string | undefined;
  /** Expected to be refused at once. */
  readonly refused: boolean;
}

interface Real {
  readonly store: Store;
  readonly log: HeldLog;
}

function stateAt(model: Model, key: string, revision: number): string | undefined {
  const mine = model.changes.filter((change) => change.key === key && change.revision <= revision);
  const last = mine.at(-1);
  if (last?.value === undefined) return undefined;
  const birth = mine.findLastIndex(({ value }) => value === undefined) + 1;
  const created = mine[birth]!.revision;
  return `${key}=${last.value} @${last.revision} created ${created} version ${mine.length - birth}`;
}

function plain(kv: TransactionResult["results"][number]): string | undefined {
  if (kv === undefined) return undefined;
  const { key, modRevision, createRevision, version } = kv;
  const value = new TextDecoder().decode(kv.value);
  return `${key}=${value} @${modRevision} created ${createRevision} version ${version}`;
}

const keys = ["/a", "/a/1", "/a/2", "/b", "/é", "/\u{1F30A}"];
/** In the order of UTF-8. */
const range = { start: "/a", end: "/\u{10FFFF}" };

/* ---- the commands ---- */

type Command = fc.AsyncCommand<Model, Real>;

class Transact implements Command {
  readonly compare: readonly (readonly [number, "now" | "none" | "wrong"])[];
  readonly success: readonly (readonly [number, "Put" | "Delete" | "Get"])[];
  constructor(compare: Transact["compare"], success: Transact["success"]) {
    this.compare = compare;
    this.success = success;
  }
  check = () => true;
  async run(model: Model, { store }: Real): Promise<void> {
    const mod = (key: string) => {
      const last = model.changes.findLast((change) => change.key === key);
      return last?.value === undefined ? 0 : last.revision;
    };
    const compare: Compare[] = this.compare.map(([at, kind]) => {
      const key = keys[at]!;
      return { key, modRevision: { now: mod(key), none: 0, wrong: 10_000 }[kind] };
    });
    const value = String(model.applied);
    const success = this.success.map(([at, kind]): Operation =>
      kind === "Put"
        ? { kind, key: keys[at]!, value: new TextEncoder().encode(value) }
        : { kind, key: keys[at]! },
    );
    const failure = compare.map(({ key }): Operation => ({ kind: "Get", key }));
    const succeeded = compare.every(({ key, modRevision }) => mod(key) === modRevision);
    const revision = model.applied + 1;
    const results = (succeeded ? success : failure).map((operation) => {
      const { kind, key } = operation;
      const before = stateAt(model, key, revision);
      if (kind === "Put") model.changes.push({ revision, key, value });
      if (kind === "Delete" && before !== undefined) {
        model.changes.push({ revision, key, value: undefined });
      }
      return kind === "Put" ? undefined : before;
    });
    if (model.changes.at(-1)?.revision === revision) model.applied = revision;
    const expected = { succeeded, revision: model.applied, results };
    const result = store.transact({ compare, success, failure });
    model.pending.push({ expected, result });
    await quiet();
    await checkWatches(model);
  }
  toString = () => `transact(${JSON.stringify([this.compare, this.success])})`;
}

class Release implements Command {
  check = () => true;
  async run(model: Model, { log, store }: Real): Promise<void> {
    model.durable = log.release() ?? model.durable;
    await quiet();
    expect(await store.currentRevision()).toBe(model.durable);
    for (const { expected, result } of model.pending.splice(0)) {
      if (expected.revision > model.durable) model.pending.push({ expected, result });
      else expect(plainResult(await result)).toEqual(expected);
    }
    await checkWatches(model);
  }
  toString = () => "release()";
}

class Range implements Command {
  readonly back: number;
  readonly limit: number;
  constructor(back: number, limit: number) {
    this.back = back;
    this.limit = limit;
  }
  check = () => true;
  async run(model: Model, { store }: Real): Promise<void> {
    const revision = Math.max(1, model.applied - this.back);
    const result = await store.range({ ...range, revision, limit: this.limit });
    if (revision > model.durable) {
      expect(result).toEqual({ kind: "FutureRevision", revision: model.durable });
    } else if (revision < model.compacted) {
      expect(result).toEqual({ kind: "Compacted", compactRevision: model.compacted });
    } else {
      const all = keys.map((key) => stateAt(model, key, revision)).filter(Boolean);
      expect(result).toMatchObject({ kind: "Range", revision: model.durable, count: all.length });
      const kvs = result.kind === "Range" ? result.kvs : [];
      expect(kvs.map(plain)).toEqual(all.slice(0, this.limit));
    }
  }
  toString = () => `range(now - ${this.back}, limit ${this.limit})`;
}

class Compact implements Command {
  readonly back: number;
  constructor(back: number) {
    this.back = back;
  }
  check = (model: Readonly<Model>) => model.durable - this.back > 0;
  async run(model: Model, { store }: Real): Promise<void> {
    const revision = model.durable - this.back;
    await store.compact(revision);
    model.compacted = Math.max(model.compacted, revision);
    expect(await store.status()).toMatchObject({
      compactRevision: model.compacted,
      sizeBytes: keptBytes(model),
    });
  }
  toString = () => `compact(durable - ${this.back})`;
}

class Watch implements Command {
  readonly back: number;
  constructor(back: number) {
    this.back = back;
  }
  check = () => true;
  async run(model: Model, { store }: Real): Promise<void> {
    const from = Math.max(1, model.applied - this.back);
    const watch: ModelWatch = {
      ...range,
      from,
      seen: [],
      ended: undefined,
      refused: from < model.compacted,
    };
    model.watches.push(watch);
    store.watch(
      { ...range, fromRevision: from },
      {
        events: (events) => {
          for (const { type, kv } of events) {
            const value = type === "Put" ? new TextDecoder().decode(kv.value) : undefined;
            watch.seen.push(`${kv.key}=${value} @${kv.modRevision}`);
          }
        },
        progress: () => undefined,
        ended: ({ kind }) => {
          watch.ended = kind;
        },
      },
    );
    await quiet();
    await checkWatches(model);
  }
  toString = () => `watch(from now - ${this.back})`;
}

/** Bytes of the durable values that a read at the compact revision or later can still find. */
function keptBytes(model: Model): number {
  const kept = model.changes.filter(({ revision, key }) => {
    const later = model.changes.some(
      (change) =>
        change.key === key && change.revision > revision && change.revision <= model.compacted,
    );
    return revision <= model.durable && !later;
  });
  return kept.reduce((sum, { value }) => sum + (value?.length ?? 0), 0);
}

async function checkWatches(model: Model): Promise<void> {
  for (const { from, seen, ended, refused } of model.watches) {
    expect(ended).toBe(refused ? "Compacted" : undefined);
    if (refused) continue;
    const expected = model.changes
      .filter(({ revision }) => revision >= from && revision <= model.durable)
      .map(({ key, value, revision }) => `${key}=${value} @${revision}`);
    expect(seen).toEqual(expected);
  }
}

function plainResult({ succeeded, revision, results }: TransactionResult): Plain {
  return { succeeded, revision, results: results.map(plain) };
}

const keyIndex = fc.nat(keys.length - 1);
const commands = fc.commands(
  [
    fc
      .tuple(
        fc.array(fc.tuple(keyIndex, fc.constantFrom("now", "now", "none", "wrong")), {
          maxLength: 2,
        }),
        fc.uniqueArray(fc.tuple(keyIndex, fc.constantFrom("Put", "Put", "Delete", "Get")), {
          maxLength: 4,
          selector: ([at]) => at,
        }),
      )
      .map(([compare, success]) => new Transact(compare, success)),
    fc.constant(new Release()),
    fc.constant(new Release()),
    fc.tuple(fc.nat(12), fc.integer({ min: 1, max: 7 })).map(([back, n]) => new Range(back, n)),
    fc.nat(9).map((back) => new Compact(back)),
    fc.nat(9).map((back) => new Watch(back)),
  ],
  { maxCommands: 60, size: "max" },
);

describe("the MVCC store", () => {
  it("behaves as a plain list of changes does", async () => {
    await fc.assert(
      fc.asyncProperty(commands, async (run) => {
        const log = new HeldLog();
        const store = createMvccStore(host, log);
        const model: Model = {
          changes: [],
          applied: 1,
          durable: 1,
          compacted: 0,
          pending: [],
          watches: [],
        };
        await fc.asyncModelRun(() => ({ model, real: { store, log } }), run);
        while (model.durable < model.applied) await new Release().run(model, { store, log });
        await new Release().run(model, { store, log });
        await store.close();
      }),
      { numRuns: 150 },
    );
  }, 60_000);

  it("decides on what is not durable yet and shows only what is", async () => {
    const log = new HeldLog();
    const store = createMvccStore(host, log);
    const first = store.transact({ compare: [], success: [putOf("/a", "1")], failure: [] });
    const second = store.transact({
      compare: [{ key: "/a", modRevision: 2 }],
      success: [putOf("/a", "2")],
      failure: [],
    });
    const seen: string[] = [];
    store.watch(
      { start: "/", end: "0", fromRevision: 1 },
      {
        events: (events) => seen.push(...events.map(({ kv }) => plain(kv)!)),
        progress: () => undefined,
        ended: () => undefined,
      },
    );
    await quiet();
    expect(await store.currentRevision()).toBe(1);
    expect(await store.range({ start: "/a" })).toMatchObject({ revision: 1, kvs: [], count: 0 });
    expect(seen).toEqual([]);
    log.release();
    expect(await first).toMatchObject({ succeeded: true, revision: 2 });
    expect(await second).toMatchObject({ succeeded: true, revision: 3 });
    expect(seen).toEqual(["/a=1 @2 created 2 version 1", "/a=2 @3 created 2 version 2"]);
    await store.close();
  });

  it("lets many waiting writers share one commit", async () => {
    const log = new HeldLog();
    const store = createMvccStore(host, log);
    const write = (key: string) =>
      store.transact({ compare: [], success: [putOf(key, "v")], failure: [] });
    const writes = [write("/first")];
    await quiet();
    for (let i = 0; i < 50; i += 1) writes.push(write(`/${i}`));
    log.release();
    await quiet();
    log.release();
    await Promise.all(writes);
    expect(log.batches.map(({ records }) => records.length)).toEqual([1, 50]);
    await store.close();
  });

  it("refuses everything, loudly, once a commit has failed", async () => {
    const log = new HeldLog();
    const lines: string[] = [];
    const store = createMvccStore(
      createNodeHost("error", (line) => lines.push(line)),
      log,
    );
    const ends: unknown[] = [];
    store.watch(
      { start: "/", end: "0", fromRevision: 1 },
      {
        events: () => ends.push("event"),
        progress: () => undefined,
        ended: ({ kind }) => ends.push(kind),
      },
    );
    const write = () => store.transact({ compare: [], success: [putOf("/a", "v")], failure: [] });
    const lost = write();
    await quiet();
    const waiting = write();
    const noDisk = new Error("no space left on device");
    log.fail(noDisk);
    await expect(lost).rejects.toBeInstanceOf(StoreUnavailableError);
    await expect(waiting).rejects.toMatchObject({ cause: noDisk });
    await expect(write()).rejects.toBeInstanceOf(StoreUnavailableError);
    await expect(store.currentRevision()).rejects.toBeInstanceOf(StoreUnavailableError);
    await expect(store.range({ start: "/a" })).rejects.toBeInstanceOf(StoreUnavailableError);
    expect(ends).toEqual(["Disconnected"]);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/error STORE FAILED.*no space left on device/);
    await store.close();
  });

  it("goes on for others when the receiver of a watch throws", async () => {
    const store = createMvccStore(host, new MemoryLog());
    const seen: number[] = [];
    const quietSink = { progress: () => undefined, ended: () => undefined };
    store.watch(
      { start: "/", end: "0", fromRevision: 1 },
      {
        ...quietSink,
        events: () => {
          throw new Error("bad receiver");
        },
      },
    );
    store.watch(
      { start: "/", end: "0", fromRevision: 1 },
      { ...quietSink, events: (_, revision) => seen.push(revision) },
    );
    for (const text of ["1", "2"]) {
      await store.transact({ compare: [], success: [putOf("/a", text)], failure: [] });
    }
    expect(seen).toEqual([2, 3]);
    await store.close();
  });

  it("answers a long read of the newest state although a compaction overtakes it", async () => {
    const store = createMvccStore(host, new MemoryLog());
    for (let i = 0; i < 1200; i += 1) {
      void store.transact({ compare: [], success: [putOf(`/${i}`, "old")], failure: [] });
    }
    await quiet();
    const revision = await store.currentRevision();
    const newest = store.range({ start: "/", end: "0" });
    const past = store.range({ start: "/", end: "0", revision });
    for (let i = 0; i < 1200; i += 1) {
      void store.transact({ compare: [], success: [putOf(`/${i}`, "new")], failure: [] });
    }
    await quiet();
    const compacted = store.compact(revision + 1200);
    expect(await newest).toMatchObject({ kind: "Range", count: 1200 });
    expect(await past).toMatchObject({ kind: expect.stringMatching(/Range|Compacted/) });
    await compacted;
    await store.close();
  });
});

function putOf(key: string, text: string): Operation {
  return { kind: "Put", key, value: new TextEncoder().encode(text) };
}
