// How far the cache has come, and waiting for it to come further. One number for all resources: a single feed of the
// whole store drives them, so a quiet resource is as fresh as a busy one.
import type { Cancel, Clock } from "../host/host.ts";
import type { Store } from "../storage/store.ts";

/** While somebody waits, the store is asked for its progress this often (upstream: progressRequestPeriod). */
const nudgeEveryMs = 100;

interface Waiter {
  readonly revision: number;
  readonly settle: (reached: boolean) => void;
}

export class Progress {
  readonly #clock: Clock;
  readonly #store: Store;
  /** Asks the feed for news. */
  readonly #nudge: () => void;
  #revision = 0;
  /** The smallest revision first. */
  readonly #waiters: Waiter[] = [];
  #nudging: Cancel | undefined;
  #running: Promise<number> | undefined;
  #following: Promise<number> | undefined;

  constructor(clock: Clock, store: Store, nudge: () => void) {
    this.#clock = clock;
    this.#store = store;
    this.#nudge = nudge;
  }

  /** Everything up to it is in the cache. */
  get revision(): number {
    return this.#revision;
  }

  advance(revision: number): void {
    if (revision <= this.#revision) return;
    this.#revision = revision;
    let reached = 0;
    while (reached < this.#waiters.length && this.#waiters[reached]!.revision <= revision)
      reached++;
    for (const waiter of this.#waiters.splice(0, reached)) waiter.settle(true);
    if (this.#waiters.length === 0) this.#stopNudging();
  }

  /** The store has lost its newest revisions. Whoever waits for one of them waits on. */
  rewind(revision: number): void {
    this.#revision = revision;
  }

  /** False when the time ran out first. */
  waitFor(revision: number, timeoutMs: number): Promise<boolean> {
    if (revision <= this.#revision) return Promise.resolve(true);
    return new Promise((resolve) => {
      const cancel = this.#clock.after(timeoutMs, () => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
        if (this.#waiters.length === 0) this.#stopNudging();
        resolve(false);
      });
      const waiter: Waiter = {
        revision,
        settle: (reached) => {
          cancel();
          resolve(reached);
        },
      };
      const behind = this.#waiters.findLastIndex((other) => other.revision <= revision);
      this.#waiters.splice(behind + 1, 0, waiter);
      if (this.#nudging === undefined) this.#keepNudging();
    });
  }

  /**
   * The store's revision, read no earlier than this call. Calls that come while a read is under way share the next one:
   * the one under way may have missed a write that they know of.
   */
  latest(): Promise<number> {
    const running = this.#running;
    if (running === undefined) return this.#readLatest();
    this.#following ??= running.then(ignore, ignore).then(() => {
      this.#following = undefined;
      return this.#readLatest();
    });
    return this.#following;
  }

  /** Nobody waits any longer. */
  close(): void {
    for (const waiter of this.#waiters.splice(0)) waiter.settle(false);
    this.#stopNudging();
  }

  #readLatest(): Promise<number> {
    const read = this.#store.currentRevision();
    const done = (): void => {
      if (this.#running === read) this.#running = undefined;
    };
    this.#running = read;
    read.then(done, done);
    return read;
  }

  #keepNudging(): void {
    this.#nudge();
    this.#nudging = this.#clock.after(nudgeEveryMs, () => this.#keepNudging());
  }

  #stopNudging(): void {
    this.#nudging?.();
    this.#nudging = undefined;
  }
}

function ignore(): void {}
