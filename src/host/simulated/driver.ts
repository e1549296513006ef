// Runs what lives on a simulated Host: lets promises settle, then those who wait for a turn, then the next timer, over
// and over. How promises settle is the engine's affair, so the one function that needs it is passed in.
import { assert } from "../../std/assert.ts";
import type { EventClock } from "./event-clock.ts";

/** Resolves when no promise that could settle is left (host/node/drain-promises.ts). */
export type DrainPromises = () => Promise<void>;

/** A run that does not get where it should: its limit is over, or nothing can happen any more. */
export class AlarmError extends Error {
  override readonly name = "AlarmError";
}

/** Turns in a row without a timer: someone spins. */
const turnsMax = 1_000_000;

export class Driver {
  readonly #clock: EventClock;
  readonly #drain: DrainPromises;

  constructor(clock: EventClock, drain: DrainPromises) {
    this.#clock = clock;
    this.#drain = drain;
  }

  /** Lets `ms` of simulated time pass, and all that happens in it happen. */
  async advance(ms: number): Promise<void> {
    const end = this.#clock.monotonic() + ms;
    for (;;) {
      await this.settle();
      const next = this.#clock.nextAt();
      if (next === undefined || next > end) break;
      this.#clock.fireNext();
    }
    this.#clock.advanceTo(end);
  }

  /** Runs until `promise` settles, and gives what it gives. AlarmError after `limitMs`, or when nothing is left to run. */
  async run<T>(promise: Promise<T>, limitMs: number): Promise<T> {
    let done = false;
    const finish = (): void => void (done = true);
    promise.then(finish, finish);
    await this.until(() => done, limitMs);
    return promise;
  }

  /** Runs until `condition` holds; it is asked after every timer. */
  async until(condition: () => boolean, limitMs: number): Promise<void> {
    const end = this.#clock.monotonic() + limitMs;
    for (;;) {
      await this.settle(condition);
      if (condition()) return;
      const next = this.#clock.nextAt();
      if (next === undefined) throw new AlarmError("nothing is left that could happen");
      if (next > end) throw new AlarmError(`it did not come about within ${limitMs} ms`);
      this.#clock.fireNext();
    }
  }

  /** Everything that can happen without time passing. */
  async settle(condition: () => boolean = () => false): Promise<void> {
    for (let turns = 0; ; turns++) {
      await this.#drain();
      if (condition() || !this.#clock.releaseTurns()) return;
      assert(turns < turnsMax, "something waits for turn after turn and time cannot go on");
    }
  }
}
