// The watch cache of a whole store: loads every resource at one revision, then lets one feed keep them all current, and
// starts over when the feed breaks. Requests meanwhile see the last state, or wait for a newer one and say so.
import type { Host } from "../host/host.ts";
import { assert } from "../std/assert.ts";
import { type Store, StoreUnavailableError } from "../storage/store.ts";
import { type CacheContext, CachedResource, freshnessTimeoutMs } from "./cached-resource.ts";
import { Feed, type FeedEnd } from "./feed.ts";
import { prefixEnd } from "./page.ts";
import { type ReadRouting, readRouting136 } from "./read-routing.ts";
import { Progress } from "./progress.ts";
import type { ResourceCache, ResourceLayout } from "./resource-cache.ts";
import type { DecodeStored, StoredObject } from "./stored-object.ts";
import { sharedTurns } from "./shared-turns.ts";
import { TimerWheel } from "./timer-wheel.ts";
import { defaultWindowLimits, type WindowLimits } from "./window.ts";
import { messageOf } from "../std/error-message.ts";

/** Keys of one read while loading. */
const loadPageKeys = 500;
/** Resources that are loaded side by side: hides the round trips of a remote store. */
const loadsMax = 8;
const retryMinMs = 100;
const retryMaxMs = 5_000;

export interface WatchCacheOptions {
  /** Where all resources live, with both slashes: `/registry/`. */
  readonly prefix: string;
  readonly window?: Partial<WindowLimits>;
  /** Absent: values that are not JSON are left out. */
  readonly decodeStored?: DecodeStored;
  /** Absent: Wavetank's own. */
  readonly routing?: ReadRouting;
  /**
   * Labels of resources that `start` does not wait for where the routing has reads go to the store meanwhile: what may
   * be large, and nothing of the server itself looks at.
   */
  readonly servedWhileLoading?: readonly string[];
}

export interface WatchCache {
  /** Also after `start`: requests wait until it is loaded. Its prefix must lie below the cache's. */
  addResource(layout: ResourceLayout): ResourceCache;
  /** Resolves when every resource added so far is loaded; retries while the store is unavailable. Call it once. */
  start(): Promise<void>;
  /** Everything up to this revision is in every ready resource. */
  readonly revision: number;
  readonly resources: readonly ResourceCache[];
  /** Ends all watchers with Closed. Requests that wait for a revision stop waiting. */
  close(): void;
}

export function createWatchCache(host: Host, store: Store, options: WatchCacheOptions): WatchCache {
  return new StoreWatchCache(host, store, options);
}

class StoreWatchCache implements WatchCache {
  readonly #host: Host;
  readonly #store: Store;
  readonly #prefix: string;
  readonly #feed: Feed;
  readonly #progress: Progress;
  readonly #servedWhileLoading: readonly string[];
  readonly #context: CacheContext;
  readonly #resources: CachedResource[] = [];
  #started = false;
  #closed = false;
  #retryMs = retryMinMs;

  constructor(host: Host, store: Store, options: WatchCacheOptions) {
    this.#host = host;
    this.#store = store;
    this.#prefix = options.prefix;
    this.#feed = new Feed(host.clock, store, options.prefix);
    this.#progress = new Progress(host.clock, store, () => this.#feed.requestProgress());
    const { routing = readRouting136, servedWhileLoading = [] } = options;
    this.#servedWhileLoading = routing.unready === "store" ? servedWhileLoading : [];
    this.#context = {
      host,
      store,
      progress: this.#progress,
      wheel: new TimerWheel(host.clock),
      window: { ...defaultWindowLimits, ...options.window },
      random: host.random.stream("watchcache"),
      decodeStored: options.decodeStored,
      routing,
      storeTurns: sharedTurns(host.clock),
      hasItems: (watcher) => this.#feed.hasItems(watcher),
    };
  }

  get revision(): number {
    return this.#progress.revision;
  }

  get resources(): readonly ResourceCache[] {
    return this.#resources;
  }

  addResource(layout: ResourceLayout): ResourceCache {
    assert(layout.prefix.startsWith(this.#prefix), "a resource lies below the cache's prefix");
    const resource = new CachedResource(this.#context, layout);
    this.#resources.push(resource);
    this.#feed.add(resource);
    if (this.#started) void this.#loadLate(resource);
    return resource;
  }

  async start(): Promise<void> {
    this.#started = true;
    const isLate = ({ layout }: CachedResource): boolean =>
      this.#servedWhileLoading.includes(layout.label);
    await this.#loadAndFollow(this.#resources.filter((resource) => !isLate(resource)));
    for (const resource of this.#resources.filter(isLate)) void this.#loadLate(resource);
  }

  close(): void {
    this.#closed = true;
    this.#feed.close();
    this.#progress.close();
    for (const resource of this.#resources) resource.endWatchers("Closed");
  }

  async #loadAndFollow(resources: readonly CachedResource[]): Promise<void> {
    const loaded = await this.#untilAvailable(() => this.#loadAll(resources));
    if (loaded === undefined) return;
    // In one step, so that no request sees some resources newer than `revision` says.
    if (loaded.revision < this.#progress.revision) {
      loaded.states.forEach((objects, resource) => resource.replace(loaded.revision, objects));
      this.#progress.rewind(loaded.revision);
    } else {
      loaded.states.forEach((objects, resource) => resource.load(loaded.revision, objects));
      this.#progress.advance(loaded.revision);
    }
    for (const resource of resources) resource.open();
    this.#follow();
  }

  #follow(): void {
    this.#feed.open(this.#progress.revision + 1, this.#progress, (reason) => {
      void this.#recover(reason);
    });
  }

  async #recover(reason: FeedEnd): Promise<void> {
    if (this.#closed) return;
    if (reason.kind === "Compacted") {
      this.#host.log.warn("watch cache reloads: history is gone", {
        revision: this.#progress.revision,
        compactRevision: reason.compactRevision,
      });
      await this.#loadAndFollow([...this.#resources]);
      return;
    }
    const { message } = reason.cause;
    this.#host.log.warn("watch cache lost the store", { cause: message });
    // Answers as soon as the store is back; what happened meanwhile is replayed by the new watch.
    const current = await this.#untilAvailable(() => this.#store.currentRevision());
    if (current === undefined || this.#closed) return;
    if (current >= this.#progress.revision) return this.#follow();
    // Its data are lost, or it was restored from a backup: what we hold is not its past.
    const { revision } = this.#progress;
    const what = "watch cache reloads: the store went back; restart to have the boot objects again";
    this.#host.log.error(what, { revision, current });
    await this.#loadAndFollow([...this.#resources]);
  }

  /** One state of all of them. Undefined: compacted while it was read. */
  async #loadAll(
    resources: readonly CachedResource[],
  ): Promise<{ revision: number; states: Map<CachedResource, StoredObject[]> } | undefined> {
    const revision = await this.#store.currentRevision();
    const states = new Map<CachedResource, StoredObject[]>();
    const waiting = [...resources];
    const loadNext = async (): Promise<boolean> => {
      for (let resource = waiting.shift(); resource !== undefined; resource = waiting.shift()) {
        const objects = await this.#loadOne(resource, revision);
        if (objects === undefined) return false;
        states.set(resource, objects);
      }
      return true;
    };
    const complete = await Promise.all(Array.from({ length: loadsMax }, loadNext));
    return complete.every(Boolean) ? { revision, states } : undefined;
  }

  async #loadOne(resource: CachedResource, revision: number): Promise<StoredObject[] | undefined> {
    const { prefix } = resource.layout;
    const objects: StoredObject[] = [];
    let start = prefix;
    for (;;) {
      const end = prefixEnd(prefix);
      const result = await this.#store.range({ start, end, revision, limit: loadPageKeys });
      if (result.kind !== "Range") return undefined;
      for (const kv of result.kvs) {
        const object = resource.read(kv);
        if (object !== undefined) objects.push(object);
      }
      if (result.count === result.kvs.length) return objects;
      start = `${result.kvs.at(-1)!.key}\0`;
      await this.#host.clock.turn();
    }
  }

  /** A resource that came while the feed runs: its events are kept aside until its state is there. */
  async #loadLate(resource: CachedResource): Promise<void> {
    const loaded = await this.#untilAvailable(() => this.#loadAll([resource]));
    if (loaded === undefined) return;
    // A reload of everything may have been quicker.
    if (!resource.ready) resource.load(loaded.revision, loaded.states.get(resource) ?? []);
    while (!(await this.#progress.waitFor(loaded.revision, freshnessTimeoutMs))) {
      if (this.#closed) return;
    }
    resource.open();
  }

  /** Runs `work` until it gives something; undefined when the cache is closed meanwhile. */
  async #untilAvailable<T>(work: () => Promise<T | undefined>): Promise<T | undefined> {
    while (!this.#closed) {
      try {
        const result = await work();
        if (result !== undefined) {
          this.#retryMs = retryMinMs;
          return this.#closed ? undefined : result;
        }
      } catch (error) {
        if (this.#closed) return undefined;
        // Whatever it was: without its cache the server is of no use, so there is nothing better than trying again.
        const cause = messageOf(error);
        if (error instanceof StoreUnavailableError) {
          this.#host.log.warn("watch cache waits for the store", { cause });
        } else this.#host.log.error("watch cache could not load", { cause });
      }
      await new Promise<void>((resolve) => this.#host.clock.after(this.#retryMs, resolve));
      this.#retryMs = Math.min(this.#retryMs * 2, retryMaxMs);
    }
    return undefined;
  }
}
