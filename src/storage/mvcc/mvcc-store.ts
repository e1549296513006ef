// The store over a RevisionLog: decides by MvccState at once, makes durable through CommitQueue, and shows only what
// is durable. All waiting of the local back ends is in this file and in commit-queue.ts.
import { assert } from "../../std/assert.ts";
import type { Host, RandomStream } from "../../host/host.ts";
import {
  type KeyValue,
  type LeaseId,
  type RangeOptions,
  type RangeResult,
  type Store,
  type StoreStatus,
  type StoreWatch,
  StoreUnavailableError,
  type Transaction,
  type TransactionResult,
  type WatchOptions,
  type WatchSink,
} from "../store.ts";
import { CommitQueue } from "./commit-queue.ts";
import { LeaseClock } from "./lease-clock.ts";
import { MvccState } from "./mvcc-state.ts";
import type { RevisionLog } from "./revision-log.ts";
import type { RevisionRecord } from "./revision-record.ts";
import { WatcherRegistry, emptyValue, keyValueOf } from "./watcher-registry.ts";

/** So many values are read before the event loop gets a turn. */
const valuesPerTurnMax = 200;
/** So many changes are dropped between two turns of a compaction. */
const compactStepRecords = 500;
const leaseIdBytes = 6;

export function createMvccStore(host: Host, log: RevisionLog): Store {
  return new MvccStore(host, log);
}

class MvccStore implements Store {
  readonly #host: Host;
  readonly #log: RevisionLog;
  readonly #state = new MvccState();
  readonly #commits: CommitQueue;
  readonly #watchers: WatcherRegistry;
  readonly #leaseClock: LeaseClock;
  readonly #leaseIds: RandomStream;
  /** Compactions run one after the other. */
  #compaction: Promise<void> = Promise.resolve();
  #closing: Promise<void> | undefined;

  constructor(host: Host, log: RevisionLog) {
    this.#host = host;
    this.#log = log;
    this.#leaseIds = host.random.stream("storage/leases");
    this.#commits = new CommitQueue(host.clock, log, {
      durable: (revision) => {
        this.#state.advanceDurable(revision);
        this.#watchers.deliver();
      },
      failed: (cause) => this.#poisoned(cause),
    });
    this.#watchers = new WatcherRegistry(host, this.#state, (id) => this.#commits.readValue(id));
    this.#leaseClock = new LeaseClock(host.clock, (lease) => this.#expireLease(lease));
    this.#load();
  }

  async currentRevision(): Promise<number> {
    this.#refuseWhenUnusable();
    return this.#state.durableRevision;
  }

  async range(options: RangeOptions): Promise<RangeResult> {
    for (;;) {
      this.#refuseWhenUnusable();
      const { durableRevision, compactRevision } = this.#state;
      const revision = options.revision ?? durableRevision;
      if (revision > durableRevision) return { kind: "FutureRevision", revision: durableRevision };
      if (revision < compactRevision) return { kind: "Compacted", compactRevision };
      const limit = options.limit ?? Infinity;
      const { records, count } = this.#state.range(options.start, options.end, revision, limit);
      const kvs = await this.#readAll(records, revision, options.keysOnly ?? false);
      if (kvs !== undefined) return { kind: "Range", revision: durableRevision, kvs, count };
      // A compaction overtook the read: an old revision is answered Compacted, the newest is read again.
    }
  }

  async transact(transaction: Transaction): Promise<TransactionResult> {
    this.#refuseWhenUnusable();
    const applied = this.#state.apply(transaction);
    const { succeeded, revision } = applied;
    const durable =
      applied.records.length > 0 ? this.#commits.submit({ applied }) : this.#commits.settled();
    const results = applied.results.map((record) => record && this.#keyValue(record));
    await durable;
    return { succeeded, revision, results };
  }

  watch(options: WatchOptions, sink: WatchSink): StoreWatch {
    if (this.#closing !== undefined || this.#commits.failure !== undefined) {
      return this.#refuseWatch(sink);
    }
    return this.#watchers.add(options, sink);
  }

  #refuseWatch(sink: WatchSink): StoreWatch {
    const cause = this.#commits.failure ?? new StoreUnavailableError("the store is closed");
    let cancelled = false;
    void this.#host.clock.turn().then(() => {
      if (!cancelled) sink.ended({ kind: "Disconnected", cause });
    });
    return {
      requestProgress: () => undefined,
      cancel: () => {
        cancelled = true;
      },
    };
  }

  async compact(revision: number): Promise<void> {
    this.#refuseWhenUnusable();
    assert(revision <= this.#state.durableRevision, "compaction of a future revision");
    if (revision <= this.#state.compactRevision) return;
    this.#compaction = this.#compaction.then(() => this.#compactTo(revision));
    await this.#compaction;
    this.#refuseWhenUnusable();
  }

  async grantLease(ttlSeconds: number): Promise<LeaseId> {
    this.#refuseWhenUnusable();
    const lease = this.#newLeaseId();
    this.#state.grantLease(lease);
    this.#leaseClock.start(lease, ttlSeconds);
    await this.#commits.submit({ grantedLease: { lease, ttlSeconds } });
    return lease;
  }

  async revokeLease(lease: LeaseId): Promise<void> {
    this.#refuseWhenUnusable();
    this.#leaseClock.stop(lease);
    await this.#dropLease(lease);
  }

  async status(): Promise<StoreStatus> {
    this.#refuseWhenUnusable();
    const { durableRevision, compactRevision } = this.#state;
    return { revision: durableRevision, compactRevision, sizeBytes: this.#log.sizeBytes() };
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#leaseClock.stopAll();
    await this.#commits.idle();
    await this.#compaction;
    this.#watchers.endAll(new StoreUnavailableError("the store is closed"));
    await this.#log.close();
  }

  #load(): void {
    const content = this.#log.load();
    const garbage = this.#state.load(content);
    for (const { lease, ttlSeconds } of content.leases) {
      this.#leaseClock.start(lease, ttlSeconds);
    }
    if (garbage.length > 0) this.#compaction = this.#removeInSteps(garbage);
  }

  #refuseWhenUnusable(): void {
    if (this.#closing !== undefined) throw new StoreUnavailableError("the store is closed");
    if (this.#commits.failure !== undefined) throw this.#commits.failure;
  }

  #poisoned(cause: Error): void {
    this.#host.log.error(
      "STORE FAILED: a write did not reach the disk. Nothing more is accepted; see that the disk has space and works, then restart.",
      { error: String(cause) },
    );
    this.#leaseClock.stopAll();
    this.#watchers.endAll(cause);
  }

  /** Undefined when a compaction made the revision unreadable meanwhile. */
  async #readAll(
    records: readonly RevisionRecord[],
    revision: number,
    keysOnly: boolean,
  ): Promise<KeyValue[] | undefined> {
    if (keysOnly) return records.map((record) => keyValueOf(record, emptyValue));
    const kvs: KeyValue[] = [];
    for (const record of records) {
      if (kvs.length > 0 && kvs.length % valuesPerTurnMax === 0) {
        await this.#host.clock.turn();
        this.#refuseWhenUnusable();
        if (revision < this.#state.compactRevision) return undefined;
      }
      kvs.push(this.#keyValue(record));
    }
    return kvs;
  }

  #keyValue(record: RevisionRecord): KeyValue {
    return keyValueOf(record, this.#commits.readValue(record.id));
  }

  #newLeaseId(): LeaseId {
    for (;;) {
      let id = 0;
      for (const byte of this.#leaseIds.bytes(leaseIdBytes)) id = id * 256 + byte;
      if (id !== 0 && !this.#state.hasLease(String(id))) return String(id);
    }
  }

  #expireLease(lease: LeaseId): void {
    // A failed commit is reported by the queue; nobody waits for an expiry.
    this.#dropLease(lease).catch(() => undefined);
  }

  async #dropLease(lease: LeaseId): Promise<void> {
    if (!this.#state.hasLease(lease)) return;
    const applied = this.#state.dropLease(lease);
    await this.#commits.submit({ applied, droppedLease: lease });
  }

  async #compactTo(revision: number): Promise<void> {
    if (revision <= this.#state.compactRevision || this.#closing !== undefined) return;
    this.#state.compact(revision);
    await this.#guarded(() => this.#log.setCompactRevision(revision));
    while (this.#closing === undefined && this.#commits.failure === undefined) {
      const ids = this.#state.compactStep(compactStepRecords);
      if (ids === undefined) return;
      await this.#remove(ids);
    }
  }

  async #removeInSteps(ids: readonly number[]): Promise<void> {
    for (let at = 0; at < ids.length; at += compactStepRecords) {
      if (this.#closing !== undefined) return;
      await this.#remove(ids.slice(at, at + compactStepRecords));
    }
  }

  async #remove(ids: readonly number[]): Promise<void> {
    if (ids.length > 0) await this.#guarded(() => this.#log.remove(ids));
    await this.#host.clock.turn();
  }

  async #guarded(write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch (error) {
      this.#commits.fail(error instanceof Error ? error : new Error(String(error)));
    }
  }
}
