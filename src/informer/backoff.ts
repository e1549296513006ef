// Growing, jittered delays that start over after a quiet time (upstream: wait.NewExponentialBackoffManager).
import type { Clock, RandomStream } from "../host/host.ts";
import type { BackoffLaw } from "./reflector-profile.ts";

export class Backoff {
  readonly #clock: Clock;
  readonly #chance: RandomStream;
  readonly #law: BackoffLaw;
  #nextMs: number;
  #lastAt: number;

  constructor(clock: Clock, chance: RandomStream, law: BackoffLaw) {
    this.#clock = clock;
    this.#chance = chance;
    this.#law = law;
    this.#nextMs = law.initialMs;
    this.#lastAt = clock.monotonic();
  }

  /** Milliseconds to wait now. */
  next(): number {
    const { initialMs, maxMs, factor, jitter, resetMs } = this.#law;
    const now = this.#clock.monotonic();
    if (now - this.#lastAt > resetMs) this.#nextMs = initialMs;
    this.#lastAt = now;
    const delay = this.#nextMs;
    this.#nextMs = Math.min(maxMs, delay * factor);
    return delay * (1 + jitter * this.#chance.unit());
  }
}
