// In which order requests that arrive together begin: at once while there are few, in turn by connection when there are
// many. A connection that sends a thousand requests then delays another's one by a round, not by a thousand.
import { performance } from "node:perf_hooks";
import { LoopPhases } from "./loop-phases.ts";

/** Requests that arrive in one turn of the loop begin at once for so long; the rest waits for its turn. */
const burstMs = 2;

export class FairArrivals {
  /** In the order of their turns. How much a connection may have here is bounded by its limit of streams. */
  readonly #waiting = new Map<object, Set<() => void>>();
  readonly #phases = new LoopPhases({
    count: () => this.#count,
    begin: () => this.#begin(),
  });
  #count = 0;
  #burstEndsAt = 0;
  #inBurst = false;

  get waiting(): number {
    return this.#count;
  }

  /** Calls `start` now or in one of the next turns; also when the connection is gone by then. */
  admit(connection: object, start: () => void): void {
    if (this.#count === 0 && this.#hasTime()) return start();
    this.#count++;
    const own = this.#waiting.get(connection);
    if (own === undefined) this.#waiting.set(connection, new Set([start]));
    else own.add(start);
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

  #begin(): void {
    const [first] = this.#waiting;
    if (first === undefined) return;
    const [connection, starts] = first;
    const [start] = starts;
    this.#waiting.delete(connection);
    if (start === undefined) return;
    starts.delete(start);
    this.#count--;
    if (starts.size > 0) this.#waiting.set(connection, starts);
    start();
  }
}
