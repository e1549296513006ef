// Group commit: changes gather while the log is busy and then become durable together, in order, so that many waiting
// writers share one sync. Holds the values that are not in the log yet. The first failure is final: what was decided
// on top of a lost change must never be acknowledged.
import type { Clock } from "../../host/host.ts";
import { type LeaseId, StoreUnavailableError } from "../store.ts";
import type { Applied } from "./mvcc-state.ts";
import type { LogBatch, LoggedLease, RevisionLog } from "./revision-log.ts";
import type { RevisionRecord } from "./revision-record.ts";

export interface CommitOutcome {
  /** Called in revision order; everything up to `revision` is in the log. */
  durable(revision: number): void;
  /** Called once, before anyone who waits is told. */
  failed(cause: Error): void;
}

export interface Submission {
  readonly applied?: Applied;
  readonly grantedLease?: LoggedLease;
  readonly droppedLease?: LeaseId;
}

interface Waiter {
  resolve(): void;
  reject(error: Error): void;
}

interface Gathering extends LogBatch {
  readonly records: RevisionRecord[];
  readonly values: (Uint8Array | undefined)[];
  readonly grantedLeases: LoggedLease[];
  readonly droppedLeases: LeaseId[];
  readonly waiters: Waiter[];
  revision: number;
}

export class CommitQueue {
  readonly #clock: Clock;
  readonly #log: RevisionLog;
  readonly #outcome: CommitOutcome;
  readonly #overlay = new Map<number, Uint8Array>();
  #gathering = emptyGathering();
  #committing: Gathering | undefined;
  #running = false;
  #failure: StoreUnavailableError | undefined;
  #idleWaiters: (() => void)[] = [];

  constructor(clock: Clock, log: RevisionLog, outcome: CommitOutcome) {
    this.#clock = clock;
    this.#log = log;
    this.#outcome = outcome;
  }

  /** The error every later call is refused with, once a commit has failed. */
  get failure(): StoreUnavailableError | undefined {
    return this.#failure;
  }

  /** Resolves when the submission is durable. Submissions become durable in the order of the calls. */
  submit(submission: Submission): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const gathering = this.#gathering;
    const { applied, grantedLease, droppedLease } = submission;
    if (applied !== undefined) this.#gather(gathering, applied);
    if (grantedLease !== undefined) gathering.grantedLeases.push(grantedLease);
    if (droppedLease !== undefined) gathering.droppedLeases.push(droppedLease);
    if (!this.#running) void this.#run();
    return waitFor(gathering);
  }

  /** Resolves when everything submitted before is durable. */
  settled(): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    if (this.#gathering.waiters.length > 0) return waitFor(this.#gathering);
    return this.#committing === undefined ? Promise.resolve() : waitFor(this.#committing);
  }

  readValue(id: number): Uint8Array {
    return this.#overlay.get(id) ?? this.#log.readValue(id);
  }

  /** Poisons the queue from outside: another write to the log has failed. */
  fail(cause: Error): void {
    if (this.#failure !== undefined) return;
    const failure = new StoreUnavailableError("a write to the store has failed; restart it", {
      cause,
    });
    this.#failure = failure;
    this.#outcome.failed(cause);
    const lost = [...(this.#committing?.waiters ?? []), ...this.#gathering.waiters];
    this.#gathering = emptyGathering();
    for (const waiter of lost) waiter.reject(failure);
  }

  /** Resolves when no commit is under way or waiting. */
  idle(): Promise<void> {
    if (!this.#running) return Promise.resolve();
    return new Promise((resolve) => this.#idleWaiters.push(resolve));
  }

  #gather(gathering: Gathering, applied: Applied): void {
    const { records, values } = applied;
    for (let i = 0; i < records.length; i += 1) {
      const record = records[i]!;
      const value = values[i];
      gathering.records.push(record);
      gathering.values.push(value);
      if (value !== undefined) this.#overlay.set(record.id, value);
    }
    gathering.revision = applied.revision;
  }

  async #run(): Promise<void> {
    this.#running = true;
    await this.#clock.turn();
    while (this.#gathering.waiters.length > 0) {
      const batch = this.#gathering;
      this.#gathering = emptyGathering();
      this.#committing = batch;
      try {
        await this.#log.append(batch);
      } catch (error) {
        this.fail(asError(error));
      }
      if (this.#failure !== undefined) break;
      this.#committing = undefined;
      this.#finish(batch);
    }
    this.#running = false;
    for (const resolve of this.#idleWaiters.splice(0)) resolve();
  }

  #finish(batch: Gathering): void {
    if (batch.revision > 0) this.#outcome.durable(batch.revision);
    for (const record of batch.records) this.#overlay.delete(record.id);
    for (const waiter of batch.waiters) waiter.resolve();
  }
}

function waitFor(gathering: Gathering): Promise<void> {
  return new Promise((resolve, reject) => gathering.waiters.push({ resolve, reject }));
}

function emptyGathering(): Gathering {
  return {
    records: [],
    values: [],
    grantedLeases: [],
    droppedLeases: [],
    waiters: [],
    revision: 0,
  };
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
