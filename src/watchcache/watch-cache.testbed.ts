// For tests of this folder: a store that is a plain history of events, read by going through all of it. It doubles as the
// model that the cache is compared with; its faults are switched by hand.
import { parseFieldSelector } from "../api/meta/field-selector.ts";
import { parseLabelSelector } from "../api/meta/label-selector.ts";
import type { KubeObject } from "../api/object.ts";
import type { Cancel } from "../host/host.ts";
import { type TestHost, createTestHost, settle } from "../host/host.testbed.ts";
import { assert } from "../std/assert.ts";
import {
  type KeyValue,
  type RangeOptions,
  type RangeResult,
  type Store,
  type StoreEvent,
  StoreUnavailableError,
  type StoreWatch,
  type WatchOptions,
  type WatchSink,
} from "../storage/store.ts";
import type {
  CachedObject,
  CacheListOptions,
  CacheWatchOptions,
  ListOutcome,
  ResourceCache,
  ResourceLayout,
  Selection,
  WatchEnd,
  Watcher,
  WatchItem,
} from "./resource-cache.ts";
import { createWatchCache, type WatchCache, type WatchCacheOptions } from "./watch-cache.ts";

interface OpenWatch {
  readonly options: WatchOptions;
  readonly sink: WatchSink;
  next: number;
}

export class TestStore implements Store {
  revision = 1;
  compactRevision = 0;
  /** Watches hear nothing while it is set. */
  paused = false;
  /** Every read rejects while it is set. */
  unavailable = false;
  /** `range` calls so far. */
  ranges = 0;
  readonly #history: StoreEvent[] = [];
  readonly #watches = new Set<OpenWatch>();

  /** The text is stored as it is, an object as JSON; undefined deletes. All in one revision. */
  write(changes: Readonly<Record<string, object | string | undefined>>): number {
    const before = this.at(this.revision);
    const effective = Object.entries(changes).filter(
      ([key, to]) => to !== undefined || before.has(key),
    );
    if (effective.length === 0) return this.revision;
    this.revision += 1;
    for (const [key, change] of effective) {
      const previous = before.get(key);
      if (change === undefined) {
        if (previous !== undefined) this.#record("Delete", key, new Uint8Array(), previous);
      } else {
        const text = typeof change === "string" ? change : JSON.stringify(change);
        this.#record("Put", key, new TextEncoder().encode(text), previous);
      }
    }
    queueMicrotask(() => this.deliver());
    return this.revision;
  }

  /** The model: all keys as of a revision, in order. */
  at(revision: number): Map<string, KeyValue> {
    const state = new Map<string, KeyValue>();
    for (const { type, kv } of this.#history) {
      if (kv.modRevision > revision) break;
      if (type === "Put") state.set(kv.key, kv);
      else state.delete(kv.key);
    }
    return new Map([...state].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Loses every write after `revision`, as when a backup is restored, and all watches. */
  goBack(revision: number): void {
    this.revision = revision;
    const kept = this.#history.filter(({ kv }) => kv.modRevision <= revision);
    this.#history.splice(0, Infinity, ...kept);
    this.disconnect();
  }

  /** Ends all watches; what they had not heard is heard by the next one, unless it is compacted. */
  disconnect(): void {
    for (const watch of this.#watches) {
      this.#watches.delete(watch);
      watch.sink.ended({ kind: "Disconnected", cause: new Error("connection reset") });
    }
  }

  get watches(): number {
    return this.#watches.size;
  }

  deliver(): void {
    if (this.paused) return;
    for (const watch of this.#watches) {
      if (watch.next <= this.compactRevision) {
        this.#watches.delete(watch);
        watch.sink.ended({ kind: "Compacted", compactRevision: this.compactRevision });
        continue;
      }
      const events = this.#history.filter(
        ({ kv }) => kv.modRevision >= watch.next && inRange(kv.key, watch.options),
      );
      watch.next = this.revision + 1;
      if (events.length > 0) watch.sink.events(events, this.revision);
    }
  }

  async currentRevision(): Promise<number> {
    if (this.unavailable) throw new StoreUnavailableError("down");
    return this.revision;
  }

  async range(options: RangeOptions): Promise<RangeResult> {
    this.ranges += 1;
    if (this.unavailable) throw new StoreUnavailableError("down");
    const revision = options.revision ?? this.revision;
    if (revision > this.revision) return { kind: "FutureRevision", revision: this.revision };
    if (revision < this.compactRevision) {
      return { kind: "Compacted", compactRevision: this.compactRevision };
    }
    const all = [...this.at(revision).values()].filter(({ key }) => inRange(key, options));
    const kvs = options.limit === undefined ? all : all.slice(0, options.limit);
    return { kind: "Range", revision: this.revision, kvs, count: all.length };
  }

  watch(options: WatchOptions, sink: WatchSink): StoreWatch {
    const watch: OpenWatch = { options, sink, next: options.fromRevision };
    this.#watches.add(watch);
    queueMicrotask(() => this.deliver());
    const cancel: Cancel = () => void this.#watches.delete(watch);
    return {
      cancel,
      requestProgress: () =>
        queueMicrotask(() => {
          this.deliver();
          if (!this.paused && this.#watches.has(watch)) sink.progress(this.revision);
        }),
    };
  }

  async compact(revision: number): Promise<void> {
    this.compactRevision = revision;
  }

  async close(): Promise<void> {}

  status(): Promise<never> {
    return Promise.reject(new Error("not needed here"));
  }

  transact(): Promise<never> {
    return this.status();
  }

  grantLease(): Promise<never> {
    return this.status();
  }

  revokeLease(): Promise<never> {
    return this.status();
  }

  #record(type: "Put" | "Delete", key: string, value: Uint8Array, previous?: KeyValue): void {
    const createRevision = type === "Put" ? (previous?.createRevision ?? this.revision) : 0;
    const version = type === "Put" ? (previous?.version ?? 0) + 1 : 0;
    const kv = { key, value, createRevision, modRevision: this.revision, version };
    this.#history.push({ type, kv });
  }
}

function inRange(key: string, { start, end }: { start: string; end?: string }): boolean {
  return end === undefined ? key === start : key >= start && key < end;
}

export const podLayout: ResourceLayout = {
  label: "pods",
  prefix: "/registry/pods/",
  namespaced: true,
  fields: ["spec.nodeName", "status.phase"],
  paths: ["spec.nodeName", "status.phase"],
  indexes: [
    { by: "field", field: "spec.nodeName" },
    { by: "label", label: "app" },
  ],
  project: (object) => {
    const { spec, status } = object as {
      spec?: { nodeName?: string };
      status?: { phase?: string };
    };
    return [spec?.nodeName ?? "", status?.phase ?? ""];
  },
};

export const nodeLayout: ResourceLayout = {
  label: "nodes",
  prefix: "/registry/minions/",
  namespaced: false,
  fields: [],
  indexes: [],
  project: () => [],
};

export interface PodSpec {
  readonly labels?: Record<string, string>;
  readonly node?: string;
  readonly phase?: string;
}

export function pod(key: string, { labels, node, phase }: PodSpec = {}): KubeObject {
  const [namespace, name] = key.split("/") as [string, string];
  return {
    kind: "Pod",
    apiVersion: "v1",
    metadata: { name, namespace, uid: "u", ...(labels === undefined ? {} : { labels }) },
    spec: node === undefined ? {} : { nodeName: node },
    status: phase === undefined ? {} : { phase },
  };
}

export const podKey = (key: string): string => podLayout.prefix + key;

export interface Bed {
  readonly host: TestHost;
  readonly store: TestStore;
  readonly cache: WatchCache;
  readonly pods: ResourceCache;
  readonly nodes: ResourceCache;
}

/** Objects named in `keys` exist before the cache starts, in revisions 2, 3, ... */
export async function start(
  keys: readonly string[] = [],
  options: Partial<WatchCacheOptions> = {},
): Promise<Bed> {
  const host = createTestHost();
  const store = new TestStore();
  for (const key of keys) store.write({ [podKey(key)]: pod(key) });
  const cache = createWatchCache(host, store, { prefix: "/registry/", ...options });
  const pods = cache.addResource(podLayout);
  const nodes = cache.addResource(nodeLayout);
  await cache.start();
  return { host, store, cache, pods, nodes };
}

export function select(namespace = "", labels = "", fields = ""): Selection {
  return { namespace, labels: parseLabelSelector(labels), fields: parseFieldSelector(fields) };
}

export type Listed = Extract<ListOutcome, { kind: "List" }>;

export async function list(
  cache: ResourceCache,
  options: Partial<CacheListOptions> = {},
): Promise<Listed> {
  const outcome = await cache.list({ selection: select(), limit: 0, ...options });
  if (outcome.kind !== "List") throw new Error(JSON.stringify(outcome));
  return outcome;
}

export const keysOf = (outcome: { items: Iterable<CachedObject> }): string[] =>
  [...outcome.items].map(({ key }) => key);

export async function watch(
  cache: ResourceCache,
  options: Partial<CacheWatchOptions> = {},
): Promise<Watcher> {
  const outcome = await cache.watch({
    selection: select(),
    from: { kind: "After", revision: cache.revision },
    initialEventsEnd: false,
    bookmarks: false,
    endsAt: Infinity,
    ...options,
  });
  if (outcome.kind !== "Watcher") throw new Error(JSON.stringify(outcome));
  return outcome.watcher;
}

/** Reads a watcher as a client does, one call of `next` always open. */
export class TestClient {
  readonly watcher: Watcher;
  readonly #received: (WatchItem | WatchEnd)[] = [];
  #reading = false;

  constructor(watcher: Watcher) {
    this.watcher = watcher;
  }

  /** Everything that is there now, as short texts; the last may be why it is over. */
  async read(): Promise<string[]> {
    if (!this.#reading) void this.#loop();
    await settle();
    return this.#received.splice(0).map(textOf);
  }

  async #loop(): Promise<void> {
    this.#reading = true;
    for (;;) {
      const result = await this.watcher.next();
      if ("end" in result) {
        this.#received.push(result);
        return;
      }
      this.#received.push(...result);
    }
  }
}

function textOf(item: WatchItem | WatchEnd): string {
  if ("end" in item) return item.end;
  if (item.type === "BOOKMARK")
    return `BOOKMARK@${item.revision}${item.initialEventsEnd ? "!" : ""}`;
  const { key, revision, bytes } = item.object;
  const { metadata } = JSON.parse(new TextDecoder().decode(bytes)) as KubeObject;
  assert(metadata.resourceVersion === String(revision), "bytes carry the revision");
  return `${item.type} ${key}@${revision}`;
}
