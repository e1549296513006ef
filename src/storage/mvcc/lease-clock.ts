// When each lease runs out.
import type { Cancel, Clock } from "../../host/host.ts";
import type { LeaseId } from "../store.ts";

/** Timers of Node cannot wait longer; a longer lease is armed again. */
const timerMsMax = 2 ** 31 - 1;

export class LeaseClock {
  readonly #clock: Clock;
  readonly #expire: (lease: LeaseId) => void;
  readonly #running = new Map<LeaseId, Cancel>();

  constructor(clock: Clock, expire: (lease: LeaseId) => void) {
    this.#clock = clock;
    this.#expire = expire;
  }

  start(lease: LeaseId, ttlSeconds: number): void {
    this.#arm(lease, this.#clock.monotonic() + ttlSeconds * 1000);
  }

  stop(lease: LeaseId): void {
    this.#running.get(lease)?.();
    this.#running.delete(lease);
  }

  stopAll(): void {
    for (const cancel of this.#running.values()) cancel();
    this.#running.clear();
  }

  #arm(lease: LeaseId, expiresAtMs: number): void {
    const leftMs = expiresAtMs - this.#clock.monotonic();
    const cancel = this.#clock.after(Math.min(leftMs, timerMsMax), () => {
      if (expiresAtMs > this.#clock.monotonic()) {
        this.#arm(lease, expiresAtMs);
        return;
      }
      this.#running.delete(lease);
      this.#expire(lease);
    });
    this.#running.set(lease, cancel);
  }
}
