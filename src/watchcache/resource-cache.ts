// The seam of the watch cache: one resource's objects as the bytes they are served as, answering GET, LIST and WATCH at
// a revision. It knows keys, labels, selectable fields and revisions, and nothing of verbs, users or Statuses: every
// expected refusal is a value, which registry/store-errors.ts turns into Kubernetes' words.
import type { FieldSelector } from "../api/meta/field-selector.ts";
import type { LabelSelector } from "../api/meta/label-selector.ts";
import type { KubeObject } from "../api/object.ts";
import type { ReadCost } from "../api/request-cost.ts";

/** What the cache must know of a resource. Plain data and pure functions, supplied by the registry. */
export interface ResourceLayout {
  /** `pods`, `deployments.apps`: for metrics and logs. */
  readonly label: string;
  /** Storage prefix with both slashes: `/registry/pods/`. */
  readonly prefix: string;
  readonly namespaced: boolean;
  /** Selectable fields besides metadata.name and metadata.namespace, in the order `project` gives them. */
  readonly fields: readonly string[];
  /** Which equality terms are answered from an index instead of a scan. */
  readonly indexes: readonly IndexDefinition[];
  /**
   * Every path that `project` reads, like `spec.nodeName` or `status.podIPs`. With it `project` is given an object that
   * holds these values and nothing else, which spares parsing the rest; absent: it is given the whole object.
   */
  readonly paths?: readonly string[];
  /** Values of `fields`, "" where the object has none. Must not keep the object. */
  project(object: Readonly<KubeObject>): readonly string[];
}

export type IndexDefinition =
  | { readonly by: "field"; readonly field: string }
  | { readonly by: "label"; readonly label: string };

/** One object as served. Immutable and shared by every answer that holds it. */
export interface CachedObject {
  /** `namespace/name`, or `name` for cluster-scoped resources. */
  readonly key: string;
  /** Its resourceVersion. */
  readonly revision: number;
  /** `{"kind":…,"apiVersion":…,"metadata":{…` with the resourceVersion in it, in the storage version. */
  readonly bytes: Uint8Array;
}

/** The part of the collection that a request speaks of. */
export interface Selection {
  /** "" for all namespaces. */
  readonly namespace: string;
  readonly labels: LabelSelector;
  readonly fields: FieldSelector;
}

export interface CacheListOptions {
  readonly selection: Selection;
  /** Absent: newest, consistent. 0: whatever is there. */
  readonly resourceVersion?: number;
  readonly match?: "Exact" | "NotOlderThan";
  /** 0: no limit. */
  readonly limit: number;
  /** Decoded continue token (api/meta/continue-token.ts); revision -1 = newest, inconsistent. */
  readonly continueFrom?: { readonly revision: number; readonly startKey: string };
}

/** What `get` found, if anything. */
export interface Found {
  readonly kind: "Found";
  readonly object: CachedObject | undefined;
  readonly revision: number;
  readonly cost: ReadCost;
}

export type ListOutcome =
  | {
      readonly kind: "List";
      /** The collection's revision, also when empty. */
      readonly revision: number;
      /** In key order. Lazy where nothing has to be filtered; may be iterated once. */
      readonly items: Iterable<CachedObject>;
      /** Key to continue from (last key + NUL), when the page is not the last. */
      readonly nextKey?: string;
      /** Objects behind this page; only without selectors and with `nextKey`. */
      readonly remaining?: number;
      /** Of finding them; that they are walked lazily is the answer's work. */
      readonly cost: ReadCost;
    }
  | Expired
  | TooLarge;

/** History asked for is gone. For a list with a token, `resumeKey` is where an inconsistent rest would start. */
export interface Expired {
  readonly kind: "Expired";
  readonly asked: number;
  readonly oldest: number;
  readonly resumeKey?: string;
}

/** The revision asked for did not appear within about 3 s. */
export interface TooLarge {
  readonly kind: "TooLarge";
  readonly asked: number;
  readonly current: number;
}

export interface CacheWatchOptions {
  readonly selection: Selection;
  /**
   * `After`: only changes after the revision. `State`: the present state as ADDED first, not older than `revision`
   * (absent: consistent with the newest write; 0: whatever is there).
   */
  readonly from:
    | { readonly kind: "After"; readonly revision: number }
    | { readonly kind: "State"; readonly revision?: number };
  /** Send the bookmark annotated k8s.io/initial-events-end after the initial state. */
  readonly initialEventsEnd: boolean;
  readonly bookmarks: boolean;
  /** When the stream will end by itself (clock.monotonic ms): a last bookmark comes 2 s before. */
  readonly endsAt: number;
}

export type WatchOutcome =
  | { readonly kind: "Watcher"; readonly watcher: Watcher }
  | Expired
  | TooLarge;

export type WatchItem =
  | {
      readonly type: "ADDED" | "MODIFIED" | "DELETED";
      /** DELETED: the last matching state, its bytes carrying the revision of the change that ended it. */
      readonly object: CachedObject;
    }
  | { readonly type: "BOOKMARK"; readonly revision: number; readonly initialEventsEnd: boolean };

export interface Watcher {
  /**
   * Resolves with the next items in revision order (never empty) or with why it is over. One call at a time; items
   * queue up meanwhile, within a bound: a reader that is too slow finds `TooSlow`.
   */
  next(): Promise<readonly WatchItem[] | WatchEnd>;
  /** `next` resolves with Closed; nothing is kept. */
  close(): void;
  /**
   * Calls `done` once, when the state that the watch begins with has been handed to the reader: at once when there is
   * none, at the latest when the watch is over.
   */
  onceInitialised(done: () => void): void;
}

export interface WatchEnd {
  readonly end: "Closed" | "TooSlow" | "CacheReset";
}

/** Totals since the start, for metrics; plain numbers that only grow, except where "now" is said. */
export interface CacheCounters {
  /** Objects added, changed or removed. */
  readonly events: number;
  /** Stored values that were no object of the resource and were left out. */
  readonly badValues: number;
  readonly listsFromCache: number;
  readonly listsFromStore: number;
  /** Objects that lists from the cache looked at to find those selected, and those that they found. */
  readonly objectsScanned: number;
  readonly objectsReturned: number;
  /** The same of lists from the store, and what they read there. */
  readonly storeObjectsFetched: number;
  readonly storeObjectsScanned: number;
  readonly storeObjectsReturned: number;
  readonly watchersOpened: number;
  /** Now. */
  readonly watchersOpen: number;
  readonly watchersTooSlow: number;
  readonly watchersReset: number;
  /** How many times an event was shown to a watcher that might want it. */
  readonly watchersVisited: number;
  /** Now; `windowBytes` is what the recent past keeps alive, about. */
  readonly windowEvents: number;
  readonly windowBytes: number;
}

export interface ResourceCache {
  readonly layout: ResourceLayout;
  /** False until the first load has finished; requests wait for it. */
  readonly ready: boolean;
  /** The newest revision this cache knows everything up to. */
  readonly revision: number;
  /** Objects now; for metrics and work estimates. */
  readonly size: number;
  /** Of all objects now, as they are served. */
  readonly bytes: number;
  /** When this resource last changed: a key for memoising what was computed from all of it. */
  readonly changedAt: number;
  readonly counters: CacheCounters;
  /**
   * Newest state without waiting (may be stale on a shared store); for admission and authorization.
   * `key` is `namespace/name` or `name`.
   */
  peek(key: string): CachedObject | undefined;
  /** As `peek`: all objects of a namespace, or with "" of all, lazily in key order. */
  peekAll(namespace: string): Iterable<CachedObject>;
  /** How many objects a LIST of the selection would have to look at now; found without looking at them. */
  countCandidates(selection: Selection): number;
  /** As `peek`: the objects whose selectable field has the value; by its index where there is one. */
  peekField(field: string, value: string): Iterable<CachedObject>;
  /** resourceVersion absent: linearizable; 0: as `peek`; N: not older than N. */
  get(key: string, resourceVersion?: number): Promise<Found | TooLarge>;
  list(options: CacheListOptions): Promise<ListOutcome>;
  watch(options: CacheWatchOptions): Promise<WatchOutcome>;
}
