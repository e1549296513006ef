// One change of one key, and the chain of a key's changes from newest to oldest. Example: put at 2, put at 5,
// delete at 7, put at 9 is `9 (version 1) -> 7 (tombstone) -> 5 (version 2) -> 2 (version 1)`; a read at revision 8
// walks to 7 and finds nothing, one at 6 finds 5. Compaction at 8 cuts the chain behind 9 and, since nothing can ask
// for them any more, drops 7, 5 and 2. Values are not here: they are found by `id`.
import type { LeaseId } from "../store.ts";

export interface KeyEntry {
  readonly key: string;
  readonly sortKey: string;
  /** Newest applied change, durable or not yet. */
  newest: RevisionRecord | undefined;
  /** The page that holds the entry; kept by KeyIndex. */
  page: IndexPage | undefined;
}

export interface IndexPage {
  readonly entries: KeyEntry[];
  /** Keys whose newest change is not a tombstone. */
  living: number;
  /** No newest change in the page is newer. */
  newestRevision: number;
}

export interface RevisionRecord {
  /** Unique, rising with the revision; where the value is found. */
  readonly id: number;
  readonly entry: KeyEntry;
  readonly revision: number;
  /** 0 in a tombstone. */
  readonly createRevision: number;
  /** 0: a tombstone, the key was deleted. */
  readonly version: number;
  readonly lease: LeaseId | undefined;
  /** The change before; undefined when there was none or it is compacted. */
  older: RevisionRecord | undefined;
}

export function isTombstone(record: RevisionRecord): boolean {
  return record.version === 0;
}

/** What the key held at `revision`; undefined when it did not exist then. */
export function recordAt(entry: KeyEntry, revision: number): RevisionRecord | undefined {
  let record = entry.newest;
  while (record !== undefined && record.revision > revision) record = record.older;
  return record === undefined || isTombstone(record) ? undefined : record;
}
