// The rules of the store without waiting and without values: revisions, transactions, ranges, leases' keys and
// compaction, as plain synchronous state changes. Two revisions count: `applied`, against which transactions are
// decided, and `durable`, up to which anyone may see. The state between them is on its way to the log.
import { assert } from "../../std/assert.ts";
import {
  type LeaseId,
  LeaseNotFoundError,
  type Operation,
  type Transaction,
  ValueTooLargeError,
} from "../store.ts";
import { History } from "./history.ts";
import { KeyIndex } from "./key-index.ts";
import type { LogContent, LoggedChange } from "./revision-log.ts";
import { type KeyEntry, type RevisionRecord, isTombstone, recordAt } from "./revision-record.ts";
import { sortKeyOf } from "./sort-key.ts";

/** etcd's default for --max-request-bytes, which Kubernetes clusters run with. */
const transactionBytesMax = 1.5 * 1024 * 1024;

/** A transaction's outcome; `records` and `values` are its changes and go to the log together. */
export interface Applied {
  readonly succeeded: boolean;
  readonly revision: number;
  readonly results: readonly (RevisionRecord | undefined)[];
  readonly records: readonly RevisionRecord[];
  readonly values: readonly (Uint8Array | undefined)[];
}

export interface StateRange {
  readonly records: readonly RevisionRecord[];
  readonly count: number;
}

interface Changes {
  readonly revision: number;
  readonly records: RevisionRecord[];
  readonly values: (Uint8Array | undefined)[];
}

export class MvccState {
  readonly history: History = new History();
  readonly #index = new KeyIndex();
  readonly #leases = new Map<LeaseId, Set<KeyEntry>>();
  #applied = 1;
  #durable = 1;
  #compacted = 0;
  #nextId = 1;

  get appliedRevision(): number {
    return this.#applied;
  }

  get durableRevision(): number {
    return this.#durable;
  }

  /** Reads and watches below it are answered Compacted. */
  get compactRevision(): number {
    return this.#compacted;
  }

  get keyCount(): number {
    return this.#index.size;
  }

  /** Takes over a log's content; returns the ids of changes that a compaction had dropped but not yet removed. */
  load(content: LogContent): number[] {
    assert(this.#nextId === 1, "a state is loaded once, before anything else");
    this.#compacted = content.compactRevision;
    for (const { lease } of content.leases) this.#leases.set(lease, new Set());
    const garbage: number[] = [];
    for (const change of content.changes) this.#loadChange(change, garbage);
    this.#durable = this.#applied;
    return garbage;
  }

  /** Decides and applies. Throws ValueTooLargeError or LeaseNotFoundError before anything has changed. */
  apply(transaction: Transaction): Applied {
    const succeeded = transaction.compare.every(
      (compare) => this.#modRevision(compare.key) === compare.modRevision,
    );
    const operations = succeeded ? transaction.success : transaction.failure;
    this.#check(operations);
    const changes: Changes = { revision: this.#applied + 1, records: [], values: [] };
    const results = operations.map((operation) => this.#perform(operation, changes));
    return this.#outcome(succeeded, results, changes);
  }

  /** Everything up to `revision` has become durable. */
  advanceDurable(revision: number): void {
    assert(revision >= this.#durable && revision <= this.#applied, "durability follows the log");
    this.#durable = revision;
  }

  /** `end` undefined: the single key. `revision` must be readable: durable and not compacted. */
  range(start: string, end: string | undefined, revision: number, limit: number): StateRange {
    if (end !== undefined) {
      return this.#index.range(sortKeyOf(start), sortKeyOf(end), revision, limit);
    }
    const entry = this.#index.find(sortKeyOf(start));
    const record = entry && recordAt(entry, revision);
    return record === undefined ? { records: [], count: 0 } : { records: [record], count: 1 };
  }

  /** From now on older history is out of reach; `compactStep` frees it. */
  compact(revision: number): void {
    assert(revision <= this.#durable, "only durable history can be compacted");
    this.#compacted = Math.max(this.#compacted, revision);
  }

  /** Drops some of what `compact` put out of reach. Returns the ids to remove, undefined when nothing is left. */
  compactStep(recordsMax: number): number[] | undefined {
    const removed: number[] = [];
    for (let i = 0; i < recordsMax; i += 1) {
      const record = this.history.at(0);
      if (record === undefined || record.revision >= this.#compacted) {
        this.#cutAtCompactRevision(removed);
        return removed.length === 0 ? undefined : removed;
      }
      cutOlder(record, removed);
      this.history.dropFirst();
      if (!isTombstone(record)) continue;
      removed.push(record.id);
      if (record.entry.newest === record) this.#index.remove(record.entry);
    }
    return removed;
  }

  hasLease(lease: LeaseId): boolean {
    return this.#leases.has(lease);
  }

  grantLease(lease: LeaseId): void {
    this.#leases.set(lease, new Set());
  }

  /** Forgets the lease and deletes its keys in one revision. */
  dropLease(lease: LeaseId): Applied {
    const changes: Changes = { revision: this.#applied + 1, records: [], values: [] };
    const keys = [...(this.#leases.get(lease) ?? [])].map((entry) => entry.key);
    for (const key of keys) this.#perform({ kind: "Delete", key }, changes);
    this.#leases.delete(lease);
    return this.#outcome(true, [], changes);
  }

  #outcome(
    succeeded: boolean,
    results: readonly (RevisionRecord | undefined)[],
    changes: Changes,
  ): Applied {
    if (changes.records.length > 0) this.#applied = changes.revision;
    const { records, values } = changes;
    return { succeeded, revision: this.#applied, results, records, values };
  }

  #modRevision(key: string): number {
    const newest = this.#index.find(sortKeyOf(key))?.newest;
    return newest === undefined || isTombstone(newest) ? 0 : newest.revision;
  }

  #check(operations: readonly Operation[]): void {
    let bytes = 0;
    for (const operation of operations) {
      bytes += operation.key.length;
      if (operation.kind !== "Put") continue;
      bytes += operation.value.length;
      if (operation.lease !== undefined && !this.#leases.has(operation.lease)) {
        throw new LeaseNotFoundError(`requested lease ${operation.lease} not found`);
      }
    }
    if (bytes > transactionBytesMax) {
      throw new ValueTooLargeError(`request of ${bytes} bytes is over ${transactionBytesMax}`);
    }
    if (operations.length < 2) return;
    const changed = operations.filter(({ kind }) => kind !== "Get").map(({ key }) => key);
    assert(new Set(changed).size === changed.length, "one branch changes no key twice");
  }

  #perform(operation: Operation, changes: Changes): RevisionRecord | undefined {
    const sortKey = sortKeyOf(operation.key);
    if (operation.kind === "Put") {
      const entry = this.#index.obtain(operation.key, sortKey);
      const before = entry.newest && !isTombstone(entry.newest) ? entry.newest : undefined;
      const put = {
        createRevision: before?.createRevision ?? changes.revision,
        version: (before?.version ?? 0) + 1,
        lease: operation.lease,
      };
      this.#change(entry, put, operation.value, changes);
      return undefined;
    }
    const entry = this.#index.find(sortKey);
    const found = entry?.newest;
    if (entry === undefined || found === undefined || isTombstone(found)) return undefined;
    if (operation.kind === "Delete") {
      this.#change(entry, { createRevision: 0, version: 0, lease: undefined }, undefined, changes);
    }
    return found;
  }

  #change(
    entry: KeyEntry,
    put: { createRevision: number; version: number; lease: LeaseId | undefined },
    value: Uint8Array | undefined,
    changes: Changes,
  ): void {
    const record: RevisionRecord = {
      id: this.#nextId,
      entry,
      revision: changes.revision,
      createRevision: put.createRevision,
      version: put.version,
      lease: put.lease,
      older: entry.newest,
    };
    this.#nextId += 1;
    this.#append(record);
    changes.records.push(record);
    changes.values.push(value);
  }

  #append(record: RevisionRecord): void {
    const { entry } = record;
    const leaseBefore = entry.newest?.lease;
    if (leaseBefore !== record.lease) {
      if (leaseBefore !== undefined) this.#leases.get(leaseBefore)?.delete(entry);
      if (record.lease !== undefined) this.#leases.get(record.lease)?.add(entry);
    }
    this.#index.push(record);
    this.history.push(record);
  }

  #loadChange(change: LoggedChange, garbage: number[]): void {
    const { key, id, revision, createRevision, version, lease } = change;
    assert(id >= this.#nextId && revision >= this.#applied, "the log is in order");
    this.#nextId = id + 1;
    this.#applied = revision;
    const entry = this.#index.obtain(key, sortKeyOf(key));
    const older = entry.newest;
    const record: RevisionRecord = {
      id,
      entry,
      revision,
      createRevision,
      version,
      lease,
      older: revision > this.#compacted ? older : undefined,
    };
    if (older !== undefined && record.older === undefined) garbage.push(older.id);
    this.#append(record);
    if (revision >= this.#compacted) return;
    this.history.dropFirst();
    if (version !== 0) return;
    garbage.push(id);
    this.#index.remove(entry);
  }

  #cutAtCompactRevision(removed: number[]): void {
    for (let at = 0; ; at += 1) {
      const record = this.history.at(at);
      if (record === undefined || record.revision > this.#compacted) return;
      cutOlder(record, removed);
    }
  }
}

/** A newer change that is readable by everyone who still may read makes the older ones unreachable. */
function cutOlder(record: RevisionRecord, removed: number[]): void {
  const { older } = record;
  if (older === undefined) return;
  // A tombstone leaves the log together with its own place in history.
  if (!isTombstone(older)) removed.push(older.id);
  record.older = undefined;
}
