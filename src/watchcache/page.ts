// Cuts one page of a LIST, from a snapshot or, for states that the window no longer holds, from the store's history.
import { oneFromCache, type ReadCost } from "../api/request-cost.ts";
import type { Clock } from "../host/host.ts";
import type { KeyValue, RangeOptions, RangeResult, Store } from "../storage/store.ts";
import { from, type Matcher } from "./matcher.ts";
import type { CachedObject, ListOutcome } from "./resource-cache.ts";
import type { Snapshot } from "./snapshot.ts";
import type { StoredObject } from "./stored-object.ts";

/** Keys of one read from the store, and about how many bytes: what is read and decoded before others get their turn. */
const storePageKeys = 64;
const storePageBytes = 1 << 19;

export interface PageOptions {
  /** 0: no limit. */
  readonly limit: number;
  readonly startKey: string;
}

export interface Page {
  readonly items: Iterable<CachedObject>;
  readonly nextKey?: string;
  readonly remaining?: number;
  /** Objects that a selector was tried on. */
  readonly searched: number;
  readonly cost: ReadCost;
}

export async function pageOfSnapshot(
  clock: Clock,
  snapshot: Snapshot,
  options: PageOptions & { readonly matcher: Matcher },
): Promise<Page> {
  const { matcher, limit, startKey } = options;
  if (matcher.unfiltered) return unfilteredPage(snapshot, options);
  const items: StoredObject[] = [];
  const slice = matcher.objectsPerMs;
  const tally = new ReadTally(clock);
  for (const object of matcher.candidates(snapshot, startKey)) {
    if (limit > 0 && items.length === limit) {
      const nextKey = keyBehind(items.at(-1)!);
      return { items, nextKey, searched: tally.scanned, cost: tally.total(items.length) };
    }
    if (matcher.matches(object)) items.push(object);
    tally.scanned += 1;
    if (tally.scanned % slice === 0) await tally.turn();
  }
  return { items, searched: tally.scanned, cost: tally.total(items.length) };
}

/** Nothing to look at: the page is two keys, and its objects are walked when the answer is written. */
function unfilteredPage(
  { objects }: Snapshot,
  { matcher, limit, startKey }: PageOptions & { readonly matcher: Matcher },
): Page {
  const range = from(matcher.range, startKey);
  const total = objects.count(range);
  if (limit === 0 || total <= limit)
    return { items: objects.values(range), searched: 0, cost: walked(total) };
  const last = objects.keyAt(objects.rank(range.start ?? "") + limit - 1)!;
  const nextKey = `${last}\0`;
  return {
    items: objects.values({ start: range.start, end: nextKey }),
    nextKey,
    remaining: total - limit,
    searched: 0,
    cost: walked(limit),
  };
}

/** Every object in the answer is looked at once. */
function walked(objects: number): ReadCost {
  return { ...oneFromCache, objectsScanned: objects, objectsReturned: objects };
}

/** Counts while a page is cut. Time goes by slices between its waits, so that others' turns are not counted. */
class ReadTally {
  scanned = 0;
  #storeReads = 0;
  #storeObjects = 0;
  #storeBytes = 0;
  #cpuMs = 0;
  #since: number;
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#since = clock.monotonic();
  }

  /** Others run. */
  async turn(): Promise<void> {
    this.#stop();
    await this.#clock.turn();
    this.#since = this.#clock.monotonic();
  }

  async range(store: Store, options: RangeOptions): Promise<RangeResult> {
    this.#stop();
    const result = await store.range(options);
    this.#since = this.#clock.monotonic();
    this.#storeReads += 1;
    if (result.kind !== "Range") return result;
    this.#storeObjects += result.kvs.length;
    for (const { value } of result.kvs) this.#storeBytes += value.length;
    return result;
  }

  total(objectsReturned: number): ReadCost {
    this.#stop();
    return {
      objectsScanned: this.scanned,
      objectsReturned,
      storeReads: this.#storeReads,
      storeObjects: this.#storeObjects,
      storeBytes: this.#storeBytes,
      cpuMs: this.#cpuMs,
    };
  }

  #stop(): void {
    this.#cpuMs += this.#clock.monotonic() - this.#since;
  }
}

function keyBehind(object: CachedObject): string {
  return `${object.key}\0`;
}

export interface StorePageOptions extends PageOptions {
  readonly matcher: Matcher;
  /** Absent: the newest. */
  readonly revision?: number;
  /** Undefined: the value is no object; it is left out. */
  readonly read: (kv: KeyValue) => StoredObject | undefined;
}

/** An outcome without `resumeKey`; what it needs of memory is what it answers. */
export async function pageOfStore(
  clock: Clock,
  store: Store,
  options: StorePageOptions,
): Promise<ListOutcome> {
  const { matcher, limit, read } = options;
  const items: StoredObject[] = [];
  const tally = new ReadTally(clock);
  let { revision } = options;
  let range = firstRange(options);
  const keysMax = range.limit ?? 1;
  if (matcher.impossible) range = { ...range, end: range.start };
  for (;;) {
    await tally.turn();
    const asked = { ...range, ...(revision === undefined ? {} : { revision }) };
    const result = await tally.range(store, asked);
    if (result.kind !== "Range") return refusal(result, revision ?? 0);
    revision ??= result.revision;
    let seen = 0;
    for (const kv of result.kvs) {
      if (limit > 0 && items.length === limit)
        return full(items, revision, { tally, ...remainingOf(matcher, result.count - seen) });
      const object = read(kv);
      if (object !== undefined && matcher.matches(object)) items.push(object);
      seen += 1;
      tally.scanned += 1;
      if (seen % matcher.objectsPerMs === 0) await tally.turn();
    }
    const behind = result.count - seen;
    if (behind === 0 || range.end === undefined)
      return { kind: "List", revision, items, cost: tally.total(items.length) };
    if (limit > 0 && items.length === limit) {
      return full(items, revision, { tally, ...remainingOf(matcher, behind) });
    }
    const next = `${result.kvs.at(-1)!.key}\0`;
    range = { ...range, start: next, limit: Math.min(keysMax, keysPerPage(result.kvs)) };
  }
}

function firstRange({ matcher, limit, startKey }: StorePageOptions): RangeOptions {
  const { prefix } = matcher.layout;
  const size = limit > 0 && limit < storePageKeys && matcher.unfiltered ? limit : storePageKeys;
  if (matcher.key !== undefined && matcher.key >= startKey) return { start: prefix + matcher.key };
  const { start, end } = from(matcher.range, startKey);
  return {
    start: prefix + (start ?? ""),
    end: end === undefined ? prefixEnd(prefix) : prefix + end,
    limit: size,
  };
}

/** By the size of those that were read. */
function keysPerPage(kvs: readonly KeyValue[]): number {
  const bytes = kvs.reduce((sum, { value }) => sum + value.length, 0);
  return Math.max(
    1,
    Math.min(storePageKeys, Math.floor((storePageBytes * kvs.length) / (bytes + 1))),
  );
}

/** Behind a page that a selector cut nobody knows how many match. */
function remainingOf(matcher: Matcher, keys: number): { readonly remaining?: number } {
  return matcher.unfiltered ? { remaining: keys } : {};
}

function full(
  items: StoredObject[],
  revision: number,
  { tally, ...rest }: { readonly tally: ReadTally; readonly remaining?: number },
): ListOutcome {
  const nextKey = keyBehind(items.at(-1)!);
  const cost = tally.total(items.length);
  return { kind: "List", revision, items, nextKey, cost, ...rest };
}

function refusal(result: Exclude<RangeResult, { kind: "Range" }>, asked: number): ListOutcome {
  if (result.kind === "Compacted")
    return { kind: "Expired", asked, oldest: result.compactRevision };
  return { kind: "TooLarge", asked, current: result.revision };
}

/** The first key behind all that begin with the prefix, which ends in "/". */
export function prefixEnd(prefix: string): string {
  return `${prefix.slice(0, -1)}0`;
}
