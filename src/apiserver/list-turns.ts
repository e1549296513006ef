// Whose list goes on next, when many are being sent. If they took turns one after another, all would end at the same time,
// late, and let go of their seats in one wave. So the one that began first goes first as long as it is short; one that has
// had much goes after those that have had little, but not for ever: each fourth turn is the longest waiting one's.
import type { Clock } from "../host/host.ts";
import { Heap } from "../std/heap.ts";

/** A list is short for so many turns, one a chunk; after twice as many it is longer by a class, and so on. */
const shortTurns = 16;
const turnsPerOldest = 4;

interface Waiter {
  readonly sizeClass: number;
  /** In the order in which lists began. */
  readonly ticket: number;
  readonly resume: () => void;
}

export class ListTurns {
  readonly #clock: Clock;
  readonly #byRank = new Heap<Waiter>(
    (a, b) => a.sizeClass < b.sizeClass || (a.sizeClass === b.sizeClass && a.ticket < b.ticket),
  );
  readonly #byArrival = new Set<Waiter>();
  #tickets = 0;
  #given = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The clock of a list that begins now. */
  forList(): Clock {
    const clock = this.#clock;
    const ticket = this.#tickets++;
    let turns = 0;
    return {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      after: (ms, fn) => clock.after(ms, fn),
      turn: () => this.#wait(sizeClassOf(turns++), ticket),
    };
  }

  #wait(sizeClass: number, ticket: number): Promise<void> {
    return new Promise((resume) => {
      const waiter = { sizeClass, ticket, resume };
      this.#byRank.push(waiter);
      this.#byArrival.add(waiter);
      // As many turns are given as are asked for, only not always to who asked.
      void this.#clock.turn().then(() => this.#giveOne());
    });
  }

  #giveOne(): void {
    const isOldest = ++this.#given % turnsPerOldest === 0;
    const waiter = isOldest ? this.#takeOldest() : this.#byRank.pop();
    if (waiter === undefined) return;
    this.#byArrival.delete(waiter);
    waiter.resume();
  }

  /** Out of the heap at once: beside ever new short lists its rank might never come up. */
  #takeOldest(): Waiter | undefined {
    const [oldest] = this.#byArrival;
    this.#byRank.removeWhere((waiter) => waiter === oldest);
    return oldest;
  }
}

function sizeClassOf(turns: number): number {
  return turns < shortTurns ? 0 : Math.floor(Math.log2(turns / shortTurns)) + 1;
}
