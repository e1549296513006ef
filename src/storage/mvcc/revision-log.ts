// Where the MVCC core keeps what must survive: a list of changes, the values, the leases and how far history is
// compacted. Implemented in memory and on LMDB. It knows no rules: what it is given is consistent.
import type { LeaseId } from "../store.ts";
import type { RevisionRecord } from "./revision-record.ts";

/** A change as the log gives it back. */
export interface LoggedChange {
  readonly id: number;
  readonly key: string;
  readonly revision: number;
  readonly createRevision: number;
  /** 0: the key was deleted. */
  readonly version: number;
  readonly lease: LeaseId | undefined;
}

export interface LoggedLease {
  readonly lease: LeaseId;
  readonly ttlSeconds: number;
}

/** What becomes durable together or not at all. */
export interface LogBatch {
  /** In rising order of `id`. */
  readonly records: readonly RevisionRecord[];
  /** One for each record; undefined for a tombstone. */
  readonly values: readonly (Uint8Array | undefined)[];
  readonly grantedLeases: readonly LoggedLease[];
  readonly droppedLeases: readonly LeaseId[];
}

export interface LogContent {
  readonly compactRevision: number;
  readonly leases: readonly LoggedLease[];
  /** In rising order of `id`; may be iterated once, before the first append. */
  readonly changes: Iterable<LoggedChange>;
}

export interface RevisionLog {
  load(): LogContent;
  /** Resolves when the batch is durable. After a rejection the log is not used any more except to be closed. */
  append(batch: LogBatch): Promise<void>;
  /** The value of a durable put that was not removed. */
  readValue(id: number): Uint8Array;
  /** Remembers how far history is dropped; resolves when durable. */
  setCompactRevision(revision: number): Promise<void>;
  /** Forgets changes and their values. Ids that are gone already are passed over. */
  remove(ids: readonly number[]): Promise<void>;
  sizeBytes(): number;
  close(): Promise<void>;
}
