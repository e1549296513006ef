// The storage seam: keys to bytes under one revision counter, with etcd's semantics and nothing of Kubernetes.
// memory/ and lmdb/ share the MVCC core in mvcc/; etcd/ speaks to a real etcd. All pass store.contract.ts.
//
// Revisions: the store starts at revision 1 with no keys; each transaction that changes something raises it by one,
// and all its changes carry that revision. A revision is known only after the commit, so callers splice it into what
// they serve and never assume it.
import type { Cancel } from "../host/host.ts";

export interface KeyValue {
  readonly key: string;
  /** Never modified by anyone after it was handed over, in either direction. */
  readonly value: Uint8Array;
  readonly createRevision: number;
  readonly modRevision: number;
  /** 1 at creation, +1 by each put; starts anew after a delete. */
  readonly version: number;
  /** Absent: the key lives until it is deleted. */
  readonly lease?: LeaseId;
}

/** Opaque; etcd's int64 as decimal text. */
export type LeaseId = string;

export interface RangeOptions {
  /** First key. */
  readonly start: string;
  /** First key behind the range; absent: the single key `start`. */
  readonly end?: string;
  /** Read as of this revision; absent: the newest state, linearizable. */
  readonly revision?: number;
  /** At most this many keys; the smallest come first. */
  readonly limit?: number;
  /** Leaves `value` empty and, where the back end can, unread. */
  readonly keysOnly?: boolean;
}

export type RangeResult =
  | {
      readonly kind: "Range";
      /** The store's revision when it answered, >= the revision asked for. */
      readonly revision: number;
      /** In key order (byte order of UTF-8). */
      readonly kvs: readonly KeyValue[];
      /** How many keys the range holds, ignoring `limit`. */
      readonly count: number;
    }
  | Compacted
  /** The revision asked for does not exist yet. */
  | { readonly kind: "FutureRevision"; readonly revision: number };

/** The history asked for is gone; reads are possible from `compactRevision` on. */
export interface Compacted {
  readonly kind: "Compacted";
  readonly compactRevision: number;
}

/** Holds when the key's modRevision equals `modRevision`; 0 means the key does not exist. */
export interface Compare {
  readonly key: string;
  readonly modRevision: number;
}

export type Operation =
  | {
      readonly kind: "Put";
      readonly key: string;
      readonly value: Uint8Array;
      readonly lease?: LeaseId;
    }
  | { readonly kind: "Delete"; readonly key: string }
  | { readonly kind: "Get"; readonly key: string };

export interface Transaction {
  readonly compare: readonly Compare[];
  readonly success: readonly Operation[];
  /** Usually `Get`s, so that a loser learns what stands there. No key may be put or deleted twice in one branch. */
  readonly failure: readonly Operation[];
}

export interface TransactionResult {
  readonly succeeded: boolean;
  /** The revision of this transaction's changes; with no change, the store's revision. */
  readonly revision: number;
  /** One an operation of the branch taken: what `Get` found, what `Delete` removed; undefined for `Put`. */
  readonly results: readonly (KeyValue | undefined)[];
}

export interface StoreEvent {
  readonly type: "Put" | "Delete";
  /** For Delete: the key, modRevision = the deletion's revision, an empty value. */
  readonly kv: KeyValue;
}

export interface WatchOptions {
  readonly start: string;
  readonly end?: string;
  /** First revision to deliver; history is replayed, then live events follow without a gap. */
  readonly fromRevision: number;
}

/** Called in revision order, one call at a time, never from inside a call into the store. Must not block. */
export interface WatchSink {
  /**
   * Events in order; those of one revision are never split between calls. After it the watcher knows everything up
   * to `revision`.
   */
  events(events: readonly StoreEvent[], revision: number): void;
  /** Nothing in the range changed up to and including `revision` beyond what was delivered. */
  progress(revision: number): void;
  /** The watch is over and must be started anew from a fresh range: history compacted, or connection lost. */
  ended(reason: Compacted | { readonly kind: "Disconnected"; readonly cause: Error }): void;
}

export interface StoreWatch {
  /** Asks for a `progress` call with the store's current revision, soon, also when nothing happens. */
  requestProgress(): void;
  readonly cancel: Cancel;
}

export interface StoreStatus {
  readonly revision: number;
  readonly compactRevision: number;
  /** Bytes on disk, or in memory for a store without disk. */
  readonly sizeBytes: number;
}

export interface Store {
  /**
   * Linearizable: no smaller than the revision of any write that was acknowledged, to anyone, before the call.
   * Every event up to it is or will be delivered to watches.
   */
  currentRevision(): Promise<number>;
  range(options: RangeOptions): Promise<RangeResult>;
  /**
   * Atomic. Resolves when the outcome is durable. Rejects with StoreUnavailableError when it may or may not have
   * happened, with ValueTooLargeError when keys and values together are over the store's limit, with
   * LeaseNotFoundError when a put's lease is gone; after the last two nothing has changed.
   */
  transact(transaction: Transaction): Promise<TransactionResult>;
  watch(options: WatchOptions, sink: WatchSink): StoreWatch;
  /** Drops history before `revision`: afterwards reads and watches below it answer Compacted. Small steps. */
  compact(revision: number): Promise<void>;
  /** The keys put with the lease are deleted, in one revision, once `ttlSeconds` passed. */
  grantLease(ttlSeconds: number): Promise<LeaseId>;
  /** Deletes the lease and its keys now. */
  revokeLease(lease: LeaseId): Promise<void>;
  status(): Promise<StoreStatus>;
  /** Waits for writes under way, syncs, releases locks and sockets. Every later call rejects. */
  close(): Promise<void>;
}

export class StoreUnavailableError extends Error {
  override readonly name = "StoreUnavailableError";
}

/** Upstream text: `etcdserver: request is too large`. */
export class ValueTooLargeError extends Error {
  override readonly name = "ValueTooLargeError";
}

/** A put named a lease that does not exist or has expired. Upstream text: `etcdserver: requested lease not found`. */
export class LeaseNotFoundError extends Error {
  override readonly name = "LeaseNotFoundError";
}
