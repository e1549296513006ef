import { uncounted } from "../api/request-cost.ts";
import { describe, expect, it } from "vitest";
import type { Clock } from "../host/host.ts";
import type { BodySink } from "../host/http.ts";
import type { CachedObject, WatchEnd, WatchItem, Watcher } from "../watchcache/resource-cache.ts";
import { ChunkPool } from "./chunk-pool.ts";
import { MetricRegistry } from "./metrics/metric-registry.ts";
import {
  type WatchEncoding,
  computedEncoding,
  jsonError,
  jsonFrame,
  plainJsonEncoding,
} from "./watch-encoding.ts";
import { streamWatch } from "./watch-stream.ts";
import { CollectingSink } from "./server.testbed.ts";

const utf8 = new TextEncoder();
const text = new TextDecoder();

const object = (name: string, revision: number, filler = ""): CachedObject => ({
  key: name,
  revision,
  bytes: utf8.encode(
    JSON.stringify({
      kind: "Pod",
      apiVersion: "v1",
      metadata: { name, resourceVersion: `${revision}` },
      filler,
    }),
  ),
});

class ScriptedWatcher implements Watcher {
  readonly #batches: (readonly WatchItem[] | WatchEnd)[];
  #wake: (() => void) | undefined;
  closed = false;
  constructor(batches: readonly (readonly WatchItem[] | WatchEnd)[]) {
    this.#batches = [...batches];
  }
  async next(): Promise<readonly WatchItem[] | WatchEnd> {
    const batch = this.#batches.shift();
    if (batch !== undefined) return batch;
    if (!this.closed) await new Promise<void>((resolve) => (this.#wake = resolve));
    return { end: "Closed" };
  }
  close(): void {
    this.closed = true;
    this.#wake?.();
  }
  onceInitialised(done: () => void): void {
    done();
  }
}

interface Timers extends Clock {
  readonly fire: (() => void)[];
}

const timers = (): Timers => {
  const fire: (() => void)[] = [];
  return {
    fire,
    now: () => 0,
    monotonic: () => 0,
    after: (_ms, fn) => {
      fire.push(fn);
      return () => undefined;
    },
    turn: async () => undefined,
  };
};

const linesOf = (sink: CollectingSink): unknown[] =>
  sink.text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as unknown);

const metrics = (): { total: { add(n: number): void }; sizes: { observe(n: number): void } } => {
  const registry = new MetricRegistry();
  return {
    total: registry.counter("c", "c", []).with(),
    sizes: registry.histogram({ name: "h", help: "h" }, [], []).with(),
  };
};

const run = (
  watcher: Watcher,
  encoding: WatchEncoding,
  sink: BodySink,
  clock = timers(),
): Promise<void> =>
  streamWatch(
    {
      clock,
      pool: new ChunkPool(),
      watcher,
      encoding,
      lifetimeMs: 1,
      framed: false,
      cost: uncounted(),
      metrics: metrics(),
    },
    sink,
  );

describe("streamWatch", () => {
  it("writes each batch in one go and ends with the watcher", async () => {
    const [a, b] = [object("a", 5), object("b", 6)];
    const watcher = new ScriptedWatcher([
      [
        { type: "ADDED", object: a },
        { type: "MODIFIED", object: b },
        { type: "BOOKMARK", revision: 6, initialEventsEnd: true },
      ],
      [{ type: "DELETED", object: a }],
      { end: "TooSlow" },
    ]);
    const sink = new CollectingSink();
    await run(watcher, plainJsonEncoding("Pod", "v1"), sink);
    expect(sink.chunks).toHaveLength(2);
    expect(watcher.closed).toBe(true);
    expect(linesOf(sink)).toEqual([
      { type: "ADDED", object: JSON.parse(text.decode(a.bytes)) },
      { type: "MODIFIED", object: JSON.parse(text.decode(b.bytes)) },
      {
        type: "BOOKMARK",
        object: {
          kind: "Pod",
          apiVersion: "v1",
          metadata: { resourceVersion: "6", annotations: { "k8s.io/initial-events-end": "true" } },
        },
      },
      { type: "DELETED", object: JSON.parse(text.decode(a.bytes)) },
    ]);
  });

  it("streams an initial state larger than a chunk intact", async () => {
    const items = Array.from({ length: 50 }, (_, n): WatchItem => ({
      type: "ADDED",
      object: object(`p${n}`, n, "x".repeat(3_000)),
    }));
    const sink = new CollectingSink();
    await run(
      new ScriptedWatcher([items, { end: "Closed" }]),
      plainJsonEncoding("Pod", "v1"),
      sink,
    );
    expect(linesOf(sink)).toHaveLength(50);
    expect(Math.max(...sink.chunks.map((w) => w.length))).toBe(65_536);
  });

  it("encodes an event once for all watchers and sends them the same bytes", async () => {
    let encoded = 0;
    const encoding = computedEncoding("application/json", "text", {
      object: (type, o, first) => {
        encoded++;
        return jsonFrame(type, utf8.encode(JSON.stringify({ key: o.key, first })));
      },
      bookmark: () => new Uint8Array(0),
      error: jsonError,
    });
    const a = object("a", 1);
    const b = object("b", 2);
    const script = [
      [{ type: "ADDED", object: a }],
      [{ type: "ADDED", object: b }],
      { end: "Closed" },
    ] as const;
    const sinks = Array.from({ length: 20 }, () => new CollectingSink());
    await Promise.all(sinks.map((sink) => run(new ScriptedWatcher(script), encoding, sink)));
    expect(encoded).toBe(2);
    expect(new Set(sinks.map((sink) => sink.handed[0]))).toEqual(new Set([sinks[0]!.handed[0]]));
    expect(linesOf(sinks[7]!)).toEqual([
      { type: "ADDED", object: { key: "a", first: true } },
      { type: "ADDED", object: { key: "b", first: false } },
    ]);
  });

  it("ends when its time is up, and when the client leaves", async () => {
    const clock = timers();
    const timed = run(
      new ScriptedWatcher([]),
      plainJsonEncoding("Pod", "v1"),
      new CollectingSink(),
      clock,
    );
    clock.fire[0]!();
    await timed;
    const sink = new CollectingSink();
    const left = run(new ScriptedWatcher([]), plainJsonEncoding("Pod", "v1"), sink);
    sink.leave();
    await left;
    expect(sink.chunks).toEqual([]);
  });
});
