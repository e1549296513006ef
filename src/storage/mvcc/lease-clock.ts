// When each lease runs out. Renewing costs no timer: a timer that fires too early looks at the new time and waits on.
import type { Cancel, Clock } from "../../host/host.ts";
import type { LeaseId } from "../store.ts";

/** Timers of Node cannot wait longer; a longer lease is armed again. */
const timerMsMax = 2 ** 31 - 1;

interface RunningLease {
  readonly ttlMs: number;
  /** On the monotonic clock. */
  expiresAtMs: number;
  cancel: Cancel;
}

export class LeaseClock {
  readonly #clock: Clock;
  readonly #expire: (lease: LeaseId) => void;
  readonly #running = new Map<LeaseId, RunningLease>();

  constructor(clock: Clock, expire: (lease: LeaseId) => void) {
    this.#clock = clock;
    this.#expire = expire;
  }

  start(lease: LeaseId, ttlSeconds: number): void {
    const ttlMs = ttlSeconds * 1000;
    const running: RunningLease = {
      ttlMs,
      expiresAtMs: this.#clock.monotonic() + ttlMs,
      cancel: () => undefined,
    };
    this.#running.set(lease, running);
    this.#arm(lease, running, ttlMs);
  }

  /** False when the lease does not run. */
  renew(lease: LeaseId): boolean {
    const running = this.#running.get(lease);
    if (running === undefined) return false;
    running.expiresAtMs = this.#clock.monotonic() + running.ttlMs;
    return true;
  }

  stop(lease: LeaseId): void {
    this.#running.get(lease)?.cancel();
    this.#running.delete(lease);
  }

  stopAll(): void {
    for (const running of this.#running.values()) running.cancel();
    this.#running.clear();
  }

  #arm(lease: LeaseId, running: RunningLease, ms: number): void {
    running.cancel = this.#clock.after(Math.min(ms, timerMsMax), () => {
      const leftMs = running.expiresAtMs - this.#clock.monotonic();
      if (leftMs > 0) {
        this.#arm(lease, running, leftMs);
        return;
      }
      this.#running.delete(lease);
      this.#expire(lease);
    });
  }
}
