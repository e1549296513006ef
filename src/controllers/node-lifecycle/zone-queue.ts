// Nodes of one zone that wait for their NoExecute taint, let through one by one at the zone's rate (upstream:
// pkg/controller/nodelifecycle/scheduler/rate_limited_queue.go).
import { RateLimiter } from "../../client/rate-limiter.ts";
import type { Clock } from "../../host/host.ts";

export class ZoneQueue {
  readonly #clock: Clock;
  readonly #waiting = new Set<string>();
  #rate: number;
  #limiter: RateLimiter;

  constructor(clock: Clock, rate: number) {
    this.#clock = clock;
    this.#rate = rate;
    this.#limiter = new RateLimiter(clock, { qps: rate, burst: 1 });
  }

  get size(): number {
    return this.#waiting.size;
  }

  add(node: string): void {
    this.#waiting.add(node);
  }

  remove(node: string): void {
    this.#waiting.delete(node);
  }

  setRate(rate: number): void {
    if (rate === this.#rate) return;
    this.#rate = rate;
    this.#limiter = new RateLimiter(this.#clock, { qps: rate, burst: 1 });
  }

  /** Those whose turn it is; they leave the queue. */
  take(): string[] {
    const taken: string[] = [];
    if (this.#rate === 0) return taken;
    for (const node of this.#waiting) {
      if (!this.#limiter.tryAccept()) break;
      this.#waiting.delete(node);
      taken.push(node);
    }
    return taken;
  }
}
