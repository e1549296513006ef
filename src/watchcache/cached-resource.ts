// One resource's cache: its window of snapshots, its watchers, and the answers to GET, LIST and WATCH. State changes only
// in `apply` and `load`, which are synchronous; everything that waits is in the methods that answer.
import type { Clock, Host, RandomStream } from "../host/host.ts";
import { nothingInCache, oneFromCache } from "../api/request-cost.ts";
import { assert } from "../std/assert.ts";
import type { KeyValue, Store, StoreEvent } from "../storage/store.ts";
import { ObjectChange } from "./change.ts";
import { type ReadRouting, sourceOf } from "./read-routing.ts";
import { Matcher } from "./matcher.ts";
import { objectKey } from "./object-key.ts";
import { pageOfSnapshot, pageOfStore, prefixEnd } from "./page.ts";
import type { Progress } from "./progress.ts";
import { readPlan, type ReadPlan } from "./read-plan.ts";
import type {
  CacheCounters,
  CachedObject,
  CacheListOptions,
  CacheWatchOptions,
  Found,
  ListOutcome,
  ResourceCache,
  ResourceLayout,
  Selection,
  TooLarge,
  WatchEnd,
  WatchOutcome,
} from "./resource-cache.ts";
import { Router } from "./router.ts";
import { changed, emptySnapshot, snapshotOf, type Snapshot } from "./snapshot.ts";
import {
  BadStoredValueError,
  type DecodeStored,
  ObjectReader,
  type StoredObject,
} from "./stored-object.ts";
import type { TimerWheel } from "./timer-wheel.ts";
import { CacheWatcher, type WatcherHome, type WatcherStart } from "./watcher.ts";
import { Window, type WindowLimits } from "./window.ts";

/** How long a read waits for a revision (upstream: blockTimeout of the watch cache). */
export const freshnessTimeoutMs = 3_000;
/** Bad values of one resource that are logged one by one; the rest is only counted. */
const badValueLogsMax = 20;

/** What all resources of one watch cache share. */
export interface CacheContext {
  readonly host: Host;
  readonly store: Store;
  readonly progress: Progress;
  readonly wheel: TimerWheel;
  readonly window: WindowLimits;
  readonly random: RandomStream;
  readonly decodeStored: DecodeStored | undefined;
  readonly routing: ReadRouting;
  /** Lists from the store share their turns: each has to decode what it reads. */
  readonly storeTurns: Clock;
  /** Its `flush` is to be called when the present batch of events is through. */
  readonly hasItems: (watcher: CacheWatcher) => void;
}

export class CachedResource implements ResourceCache, WatcherHome {
  readonly layout: ResourceLayout;
  readonly clock: Clock;
  readonly #context: CacheContext;
  readonly #reader: ObjectReader;
  readonly #router: Router<CacheWatcher>;
  readonly #watchers = new Set<CacheWatcher>();
  readonly #loaded: { readonly promise: Promise<void>; readonly resolve: () => void };
  readonly #counts = {
    events: 0,
    badValues: 0,
    listsFromCache: 0,
    listsFromStore: 0,
    objectsScanned: 0,
    objectsReturned: 0,
    storeObjectsFetched: 0,
    storeObjectsScanned: 0,
    storeObjectsReturned: 0,
    watchersOpened: 0,
    watchersTooSlow: 0,
    watchersReset: 0,
    watchersVisited: 0,
  };
  /** Of `#listWhole`, before the cache is loaded. */
  readonly #readings = new WeakMap<KeyValue, StoredObject>();
  #window: Window;
  #ready = false;
  /** Events that came before the first load was through. */
  #early: { readonly revision: number; readonly events: readonly StoreEvent[] }[] = [];

  constructor(context: CacheContext, layout: ResourceLayout) {
    this.layout = layout;
    this.clock = context.host.clock;
    this.#context = context;
    this.#reader = new ObjectReader(layout, context.decodeStored);
    this.#router = new Router(layout);
    this.#window = new Window(context.window, 0, emptySnapshot(layout));
    this.#loaded = latch();
  }

  get ready(): boolean {
    return this.#ready;
  }

  get revision(): number {
    return this.#ready ? this.#context.progress.revision : 0;
  }

  get size(): number {
    return this.#snapshot.objects.size;
  }

  get bytes(): number {
    return this.#snapshot.bytes;
  }

  get changedAt(): number {
    return this.#window.newest.revision;
  }

  get counters(): CacheCounters {
    return {
      watchersOpen: this.#watchers.size,
      windowEvents: this.#window.events,
      windowBytes: this.#window.bytes,
      ...this.#counts,
    };
  }

  get #snapshot(): Snapshot {
    return this.#window.newest.snapshot;
  }

  // --- state ---

  /** What one revision did to this resource. Older revisions than the state's are ignored. */
  apply(revision: number, events: readonly StoreEvent[]): void {
    if (!this.#ready) {
      this.#early.push({ revision, events });
      return;
    }
    const before = this.#window.newest;
    if (revision <= before.revision) return;
    let { snapshot } = before;
    const steps: ObjectChange[] = [];
    for (const { type, kv } of events) {
      const key = objectKey(this.layout, kv.key);
      const previous = snapshot.objects.get(key);
      // A value that cannot be read has replaced the object all the same: it is gone for our readers.
      const current = type === "Put" ? this.read(kv) : undefined;
      if (previous === undefined && current === undefined) continue;
      steps.push(new ObjectChange(revision, key, { previous, current }));
      snapshot = changed(this.layout, snapshot, { key, current });
    }
    if (steps.length === 0) return;
    this.#counts.events += steps.length;
    this.#window.append(revision, this.clock.monotonic(), { snapshot, steps });
    for (const step of steps) {
      this.#router.visit(step, (watcher) => {
        this.#counts.watchersVisited += 1;
        watcher.offer(step, before);
      });
    }
  }

  /**
   * The whole state as of a revision. On a reload watchers go on when it is the state they know, and are reset
   * otherwise: what happened in between is not known.
   */
  load(revision: number, objects: readonly StoredObject[]): void {
    if (this.#ready) {
      this.#reload(revision, objects);
      return;
    }
    this.#window = new Window(this.#context.window, revision, snapshotOf(this.layout, objects));
    this.#ready = true;
    for (const early of this.#early.splice(0)) this.apply(early.revision, early.events);
  }

  /** The whole state of a store that went back to an older revision: nobody's view leads to it. */
  replace(revision: number, objects: readonly StoredObject[]): void {
    this.endWatchers("CacheReset");
    this.#window.restart(revision, snapshotOf(this.layout, objects));
  }

  /** Lets the requests in that waited for the first load. */
  open(): void {
    this.#loaded.resolve();
  }

  read(kv: KeyValue): StoredObject | undefined {
    try {
      return this.#reader.read(kv.key, kv.value, kv.modRevision);
    } catch (error) {
      if (!(error instanceof BadStoredValueError)) throw error;
      this.#counts.badValues += 1;
      if (this.#counts.badValues <= badValueLogsMax) {
        const fields = { key: kv.key, revision: kv.modRevision, why: error.message };
        this.#context.host.log.error("stored value left out", fields);
      }
      return undefined;
    }
  }

  /** Ends all watchers; waiting requests see the state as it is. */
  endWatchers(why: WatchEnd["end"]): void {
    for (const watcher of this.#watchers) watcher.end(why);
  }

  #reload(revision: number, objects: readonly StoredObject[]): void {
    const old = this.#snapshot;
    const same =
      objects.length === old.objects.size &&
      objects.every((object) => old.objects.get(object.key)?.revision === object.revision);
    if (!same) this.endWatchers("CacheReset");
    this.#window.restart(revision, same ? old : snapshotOf(this.layout, objects));
  }

  // --- answers ---

  peek(key: string): CachedObject | undefined {
    return this.#snapshot.objects.get(key);
  }

  peekAll(namespace: string): Iterable<CachedObject> {
    const matcher = new Matcher(this.layout, { namespace, labels: [], fields: [] });
    return matcher.candidates(this.#snapshot);
  }

  countCandidates(selection: Selection): number {
    return new Matcher(this.layout, selection).countCandidates(this.#snapshot);
  }

  *peekField(field: string, value: string): Iterable<CachedObject> {
    const fields = [{ field, operator: "=", value }] as const;
    const matcher = new Matcher(this.layout, { namespace: "", labels: [], fields });
    for (const object of matcher.candidates(this.#snapshot))
      if (matcher.matches(object)) yield object;
  }

  async get(key: string, resourceVersion?: number): Promise<Found | TooLarge> {
    const { progress } = this.#context;
    if (this.#getsFromStore(resourceVersion)) return await this.#getFromStore(key);
    await this.#loaded.promise;
    if (resourceVersion === undefined) {
      // One object is read sooner than the cache comes to know what it lacks.
      if ((await progress.latest()) > progress.revision) return await this.#getFromStore(key);
    } else if (!(await progress.waitFor(resourceVersion, freshnessTimeoutMs))) {
      return tooLarge(resourceVersion, progress.revision);
    }
    const { revision } = progress;
    const object = this.peek(key);
    const cost = object === undefined ? nothingInCache : oneFromCache;
    return { kind: "Found", object, revision, cost };
  }

  async list(options: CacheListOptions): Promise<ListOutcome> {
    const { routing } = this.#context;
    const matcher = new Matcher(this.layout, options.selection, routing.indexed);
    const plan = readPlan(options);
    const source = sourceOf(plan, routing, this.#ready);
    const outcome =
      source === "store"
        ? await this.#listStore(matcher, plan, revisionOf(plan))
        : await this.#listCached(plan, matcher);
    if (outcome.kind !== "Expired" || options.continueFrom === undefined) return outcome;
    return { ...outcome, resumeKey: options.continueFrom.startKey };
  }

  async watch(options: CacheWatchOptions): Promise<WatchOutcome> {
    await this.#loaded.promise;
    const { progress } = this.#context;
    const matcher = new Matcher(this.layout, options.selection);
    const { bookmarks, endsAt, from } = options;
    if (from.kind === "After") {
      const asked = from.revision;
      const place = this.#window.at(asked);
      if (place === undefined) return { kind: "Expired", asked, oldest: this.#window.oldest };
      const start = { matcher, after: asked, place, bookmarks, endsAt };
      return this.#openWatcher({ initialEventsEnd: false, ...start });
    }
    const asked = from.revision ?? (await progress.latest());
    if (!(await progress.waitFor(asked, freshnessTimeoutMs))) {
      return tooLarge(asked, progress.revision);
    }
    const place = this.#window.newest;
    const state = matcher.candidates(place.snapshot)[Symbol.iterator]();
    const start = { matcher, after: progress.revision, place, state, bookmarks, endsAt };
    return this.#openWatcher({ initialEventsEnd: options.initialEventsEnd, ...start });
  }

  #openWatcher(start: WatcherStart): WatchOutcome {
    const watcher = new CacheWatcher(this, start);
    this.#watchers.add(watcher);
    this.#counts.watchersOpened += 1;
    return { kind: "Watcher", watcher };
  }

  #getsFromStore(resourceVersion: number | undefined): boolean {
    const { routing } = this.#context;
    if (resourceVersion === undefined && routing.get === "store") return true;
    return (resourceVersion ?? 0) === 0 && !this.#ready && routing.unready === "store";
  }

  async #listCached(plan: ReadPlan, matcher: Matcher): Promise<ListOutcome> {
    await this.#loaded.promise;
    const { progress } = this.#context;
    switch (plan.kind) {
      case "Any":
        return await this.#listNow(matcher, { limit: 0, startKey: "" });
      case "Consistent":
        if (await this.#caughtUp()) return await this.#listNow(matcher, plan);
        return await this.#listStore(matcher, plan, undefined);
      case "NotOlderThan":
        if (!(await progress.waitFor(plan.revision, freshnessTimeoutMs))) break;
        return await this.#listNow(matcher, { limit: plan.limit, startKey: "" });
      case "Exact": {
        if (!(await progress.waitFor(plan.revision, freshnessTimeoutMs))) break;
        const change = this.#window.at(plan.revision);
        if (change === undefined) return await this.#listStore(matcher, plan, plan.revision);
        return await this.#listSnapshot(matcher, plan, { ...change, revision: plan.revision });
      }
    }
    return tooLarge(plan.revision, progress.revision);
  }

  /** True when the cache holds every write that was acknowledged before the call. */
  async #caughtUp(): Promise<boolean> {
    const { progress } = this.#context;
    return await progress.waitFor(await progress.latest(), freshnessTimeoutMs);
  }

  async #listNow(
    matcher: Matcher,
    page: { readonly limit: number; readonly startKey: string },
  ): Promise<ListOutcome> {
    const { revision } = this.#context.progress;
    return await this.#listSnapshot(matcher, page, { revision, snapshot: this.#snapshot });
  }

  async #listSnapshot(
    matcher: Matcher,
    { limit, startKey }: { readonly limit: number; readonly startKey: string },
    { revision, snapshot }: { readonly revision: number; readonly snapshot: Snapshot },
  ): Promise<ListOutcome> {
    this.#counts.listsFromCache += 1;
    const page = await pageOfSnapshot(this.clock, snapshot, { matcher, limit, startKey });
    this.#counts.objectsScanned += page.searched;
    this.#counts.objectsReturned += page.cost.objectsReturned;
    return { kind: "List", revision, ...page };
  }

  async #listStore(
    matcher: Matcher,
    { limit, startKey = "" }: { readonly limit: number; readonly startKey?: string },
    revision: number | undefined,
  ): Promise<ListOutcome> {
    this.#counts.listsFromStore += 1;
    const outcome = await this.#readStore(matcher, { limit, startKey }, revision);
    if (outcome.kind === "List") {
      this.#counts.storeObjectsFetched += outcome.cost.storeObjects;
      this.#counts.storeObjectsScanned += outcome.cost.objectsScanned;
      this.#counts.storeObjectsReturned += outcome.cost.objectsReturned;
    }
    return outcome;
  }

  async #readStore(
    matcher: Matcher,
    { limit, startKey }: { readonly limit: number; readonly startKey: string },
    revision: number | undefined,
  ): Promise<ListOutcome> {
    if (limit === 0 && revision === undefined && this.#context.routing.storeReads === "whole")
      return await this.#listWhole(matcher);
    return await pageOfStore(this.#context.storeTurns, this.#context.store, {
      matcher,
      limit,
      startKey,
      ...(revision === undefined ? {} : { revision }),
      read: (kv) => this.read(kv),
    });
  }

  /**
   * Costs what reading and filtering everything costs; the answer is looked up where that is the same and quicker, since
   * a rehearsal has thousands of such LISTs.
   */
  async #listWhole(matcher: Matcher): Promise<ListOutcome> {
    const { store, progress } = this.#context;
    const { prefix } = this.layout;
    const result = await store.range({ start: prefix, end: prefixEnd(prefix) });
    assert(result.kind === "Range", "the newest state can always be read");
    const { revision, kvs } = result;
    const known = this.#ready && (await progress.waitFor(revision, freshnessTimeoutMs));
    const items = known
      ? [...matcher.candidates(this.#snapshot)].filter((object) => matcher.matches(object))
      : kvs.flatMap((kv) => this.#readOnce(kv) ?? []).filter((object) => matcher.matches(object));
    const cost = {
      objectsScanned: kvs.length,
      objectsReturned: items.length,
      storeReads: 1,
      storeObjects: kvs.length,
      storeBytes: kvs.reduce((bytes, { value }) => bytes + value.length, 0),
      cpuMs: 0,
    };
    return { kind: "List", revision, items, cost };
  }

  /** Those who list while the cache is cold read the same values over and over. */
  #readOnce(kv: KeyValue): StoredObject | undefined {
    const known = this.#readings.get(kv);
    if (known !== undefined) return known;
    const object = this.read(kv);
    if (object !== undefined) this.#readings.set(kv, object);
    return object;
  }

  async #getFromStore(key: string): Promise<Found> {
    const result = await this.#context.store.range({ start: this.layout.prefix + key });
    assert(result.kind === "Range", "the newest state can always be read");
    const kv = result.kvs[0];
    const object = kv === undefined ? undefined : this.read(kv);
    const cost = {
      ...(kv === undefined ? nothingInCache : oneFromCache),
      storeReads: 1,
      storeObjects: result.kvs.length,
      storeBytes: kv?.value.length ?? 0,
    };
    return { kind: "Found", object, revision: result.revision, cost };
  }

  // --- what watchers need ---

  jitter(): number {
    return this.#context.random.unit();
  }

  goLive(watcher: CacheWatcher): void {
    this.#router.add(watcher);
  }

  leaveLive(watcher: CacheWatcher): void {
    this.#router.remove(watcher);
  }

  wakeAt(watcher: CacheWatcher, at: number): void {
    this.#context.wheel.set(watcher, at);
  }

  hasItems(watcher: CacheWatcher): void {
    this.#context.hasItems(watcher);
  }

  ended(watcher: CacheWatcher, why: WatchEnd["end"]): void {
    this.#watchers.delete(watcher);
    this.#context.wheel.remove(watcher);
    if (why === "TooSlow") this.#counts.watchersTooSlow += 1;
    if (why === "CacheReset") this.#counts.watchersReset += 1;
  }
}

/** Undefined: the newest. */
function revisionOf(plan: ReadPlan): number | undefined {
  return plan.kind === "Exact" ? plan.revision : undefined;
}

function tooLarge(asked: number, current: number): TooLarge {
  return { kind: "TooLarge", asked, current };
}

function latch(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let release: () => void = () => {};
  const promise = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { promise, resolve: release };
}
