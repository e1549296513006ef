// Ends what takes too long. Nearly all requests have the same long deadline and never reach it, so those that wait equally
// long share one timer instead of arming one each.
import type { Cancel, Clock } from "../host/host.ts";

interface Pending {
  readonly at: number;
  readonly expire: () => void;
}

/** In order of expiry, since all wait equally long. */
type Line = Set<Pending>;

export class Deadlines {
  readonly #clock: Clock;
  /** By milliseconds; each that is here has its timer armed. */
  readonly #lines = new Map<number, Line>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls `expire` once after `ms` unless cancelled. */
  enter(ms: number, expire: () => void): Cancel {
    const pending: Pending = { at: this.#clock.monotonic() + ms, expire };
    const line = this.#lineOf(ms);
    line.add(pending);
    return () => line.delete(pending);
  }

  #lineOf(ms: number): Line {
    const known = this.#lines.get(ms);
    if (known !== undefined) return known;
    const line: Line = new Set();
    this.#lines.set(ms, line);
    this.#clock.after(ms, () => this.#sweep(ms, line));
    return line;
  }

  #sweep(ms: number, line: Line): void {
    const now = this.#clock.monotonic();
    for (const pending of line) {
      if (pending.at > now) {
        this.#clock.after(pending.at - now, () => this.#sweep(ms, line));
        return;
      }
      line.delete(pending);
      pending.expire();
    }
    this.#lines.delete(ms);
  }
}
