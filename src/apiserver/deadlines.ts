// Ends requests that take too long. Nearly all have the same long deadline and never reach it, so they share one timer
// instead of arming one each.
import type { Cancel, Clock } from "../host/host.ts";

interface Pending {
  readonly at: number;
  readonly expire: () => void;
}

export class Deadlines {
  readonly #clock: Clock;
  readonly #usualMs: number;
  /** In order of expiry, since all wait equally long. */
  readonly #pending = new Set<Pending>();
  #armed = false;

  constructor(clock: Clock, usualMs: number) {
    this.#clock = clock;
    this.#usualMs = usualMs;
  }

  /** Calls `expire` once after `ms` unless cancelled. */
  enter(ms: number, expire: () => void): Cancel {
    if (ms !== this.#usualMs) return this.#clock.after(ms, expire);
    const pending: Pending = { at: this.#clock.monotonic() + ms, expire };
    this.#pending.add(pending);
    if (!this.#armed) this.#arm(ms);
    return () => this.#pending.delete(pending);
  }

  #arm(ms: number): void {
    this.#armed = true;
    this.#clock.after(ms, () => this.#sweep());
  }

  #sweep(): void {
    this.#armed = false;
    const now = this.#clock.monotonic();
    for (const pending of this.#pending) {
      if (pending.at > now) {
        this.#arm(pending.at - now);
        return;
      }
      this.#pending.delete(pending);
      pending.expire();
    }
  }
}
