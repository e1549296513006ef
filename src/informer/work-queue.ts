// Keys that need work, each once however often it was added, and never worked on twice at the same time. Failed keys
// come back after growing delays, all together no faster than a bucket allows (upstream: client-go/util/workqueue,
// DefaultTypedControllerRateLimiter).
import { type RateLimit, RateLimiter } from "../client/rate-limiter.ts";
import type { Cancel, Clock } from "../host/host.ts";

export interface RetryLaw {
  /** Delay after a key's first failure; doubles with each further one. */
  readonly initialMs: number;
  readonly maxMs: number;
  /** For all keys together. */
  readonly overall: RateLimit;
}

export const retryUsual: RetryLaw = {
  initialMs: 5,
  maxMs: 1_000_000,
  overall: { qps: 10, burst: 100 },
};

interface Delayed {
  readonly at: number;
  readonly cancel: Cancel;
}

export class WorkQueue {
  readonly #clock: Clock;
  readonly #retry: RetryLaw;
  readonly #overall: RateLimiter;
  /** Keys that need work; those not being worked on are in #ready, too. A Set keeps the order of insertion. */
  readonly #dirty = new Set<string>();
  readonly #ready = new Set<string>();
  readonly #processing = new Set<string>();
  readonly #failures = new Map<string, number>();
  readonly #delayed = new Map<string, Delayed>();
  readonly #takers: ((key: string | undefined) => void)[] = [];
  #shutDown = false;

  constructor(clock: Clock, retry: RetryLaw) {
    this.#clock = clock;
    this.#retry = retry;
    this.#overall = new RateLimiter(clock, retry.overall);
  }

  /** Keys that wait to be taken. */
  get length(): number {
    return this.#ready.size;
  }

  /** A key that is being worked on becomes ready again when that is done. */
  add(key: string): void {
    if (this.#shutDown || this.#dirty.has(key)) return;
    this.#dirty.add(key);
    if (this.#processing.has(key)) return;
    this.#ready.add(key);
    this.#serve();
  }

  /** Of several delays of one key the earliest counts. */
  addAfter(key: string, ms: number): void {
    if (this.#shutDown) return;
    if (ms <= 0) return this.add(key);
    const at = this.#clock.monotonic() + ms;
    const waiting = this.#delayed.get(key);
    if (waiting !== undefined) {
      if (waiting.at <= at) return;
      waiting.cancel();
    }
    const cancel = this.#clock.after(ms, () => {
      this.#delayed.delete(key);
      this.add(key);
    });
    this.#delayed.set(key, { at, cancel });
  }

  /** For a key that failed. */
  addRateLimited(key: string): void {
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    const own = Math.min(this.#retry.maxMs, this.#retry.initialMs * 2 ** failures);
    this.addAfter(key, Math.max(own, this.#overall.reserve()));
  }

  /** The key succeeded: its next failure is its first. Does not take it out of the queue. */
  forget(key: string): void {
    this.#failures.delete(key);
  }

  /** How often the key was added by addRateLimited since it was last forgotten. */
  requeues(key: string): number {
    return this.#failures.get(key) ?? 0;
  }

  /** The next key, which the caller must give back by `done`; undefined after shutDown. */
  take(): Promise<string | undefined> {
    if (this.#shutDown) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      this.#takers.push(resolve);
      this.#serve();
    });
  }

  done(key: string): void {
    this.#processing.delete(key);
    if (!this.#dirty.has(key)) return;
    this.#ready.add(key);
    this.#serve();
  }

  /** Drops everything that waits; who waits for a key gets undefined. */
  shutDown(): void {
    this.#shutDown = true;
    for (const { cancel } of this.#delayed.values()) cancel();
    this.#delayed.clear();
    this.#dirty.clear();
    this.#ready.clear();
    for (const taker of this.#takers.splice(0)) taker(undefined);
  }

  #serve(): void {
    while (this.#takers.length > 0 && this.#ready.size > 0) {
      const [key] = this.#ready;
      this.#ready.delete(key!);
      this.#dirty.delete(key!);
      this.#processing.add(key!);
      this.#takers.shift()!(key);
    }
  }
}
