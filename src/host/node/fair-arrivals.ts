// In which order requests that arrive together begin: at once while there are few, in turn by connection when there are
// many. A connection that sends a thousand requests then delays another's one by a round, not by a thousand.
import { performance } from "node:perf_hooks";
import { RoundRobin } from "../../std/round-robin.ts";
import { LoopPhases } from "./loop-phases.ts";

/** Requests that arrive in one turn of the loop begin at once for so long; the rest waits for its turn. */
const burstMs = 2;

export class FairArrivals {
  /** By connection. How much one may have here is bounded by its limit of streams. */
  readonly #waiting = new RoundRobin<object, () => void>();
  readonly #phases = new LoopPhases({
    count: () => this.#waiting.size,
    begin: () => this.#waiting.take()?.(),
  });
  #burstEndsAt = 0;
  #inBurst = false;

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Calls `start` now or in one of the next turns; also when the connection is gone by then. */
  admit(connection: object, start: () => void): void {
    if (this.#waiting.size === 0 && this.#hasTime()) return start();
    this.#waiting.add(connection, start);
    this.#phases.arm();
  }

  #hasTime(): boolean {
    const now = performance.now();
    if (!this.#inBurst) {
      this.#inBurst = true;
      this.#burstEndsAt = now + burstMs;
      setImmediate(() => (this.#inBurst = false));
    }
    return now < this.#burstEndsAt;
  }
}
