// A token bucket on the host's clock (upstream: client-go/util/flowcontrol over golang.org/x/time/rate). Holds back a
// whole client, a work queue's retries, and the events about one object; knows none of them.
import type { Clock } from "../host/host.ts";
import { pause } from "./waiting.ts";

export interface RateLimit {
  /** Tokens a second. */
  readonly qps: number;
  /** Tokens that a rested bucket holds. */
  readonly burst: number;
}

export class RateLimiter {
  readonly #clock: Clock;
  readonly #limit: RateLimit;
  /** Below zero: tokens that waiters have reserved ahead. */
  #tokens: number;
  #filledAt: number;

  constructor(clock: Clock, limit: RateLimit) {
    this.#clock = clock;
    this.#limit = limit;
    this.#tokens = limit.burst;
    this.#filledAt = clock.monotonic();
  }

  /** Takes a token if there is one now. */
  tryAccept(): boolean {
    this.#fill();
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  /** Takes a token, if need be of the future, and says how many ms to wait for it. */
  reserve(): number {
    this.#fill();
    this.#tokens -= 1;
    return this.#tokens >= 0 ? 0 : (-this.#tokens / this.#limit.qps) * 1_000;
  }

  /** First come, first served. Rejects with AbortedError; the token is then lost. */
  async wait(signal?: AbortSignal): Promise<void> {
    const ms = this.reserve();
    if (ms > 0) await pause(this.#clock, ms, signal);
  }

  #fill(): void {
    const now = this.#clock.monotonic();
    const earned = ((now - this.#filledAt) / 1_000) * this.#limit.qps;
    this.#tokens = Math.min(this.#limit.burst, this.#tokens + earned);
    this.#filledAt = now;
  }
}
