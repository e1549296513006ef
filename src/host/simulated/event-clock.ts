// Time that moves only when the driver says so: a heap of timers, ordered by their time; among those of one time chance
// decides, by the seed, so that no code can rely on an order which a real clock does not promise.
import { Heap } from "../../std/heap.ts";
import type { Cancel, Clock, RandomStream } from "../host.ts";

interface Timer {
  readonly at: number;
  readonly tie: number;
  readonly sequence: number;
  fn: (() => void) | undefined;
}

export class EventClock implements Clock {
  readonly #ties: RandomStream;
  readonly #startMs: number;
  readonly #heap = new Heap<Timer>(isBefore);
  #turns: (() => void)[] = [];
  #elapsed = 0;
  #sequence = 0;

  constructor(ties: RandomStream, startMs: number) {
    this.#ties = ties;
    this.#startMs = startMs;
  }

  now(): number {
    return Math.floor(this.#startMs + this.#elapsed);
  }

  monotonic(): number {
    return this.#elapsed;
  }

  after(ms: number, fn: () => void): Cancel {
    const at = this.#elapsed + Math.max(0, ms);
    const timer: Timer = { at, tie: this.#ties.unit(), sequence: this.#sequence++, fn };
    this.#heap.push(timer);
    return () => {
      // Stays in the heap until its time, which costs less than finding it.
      timer.fn = undefined;
    };
  }

  turn(): Promise<void> {
    return new Promise((resolve) => this.#turns.push(resolve));
  }

  /* ---- for the driver ---- */

  /** Lets everyone go on who waits for a later turn; false when nobody does. */
  releaseTurns(): boolean {
    const turns = this.#turns;
    if (turns.length === 0) return false;
    this.#turns = [];
    for (const resolve of turns) resolve();
    return true;
  }

  /** Monotonic time of the next timer; undefined when none is set. */
  nextAt(): number | undefined {
    while (this.#heap.size > 0 && this.#heap.peek()?.fn === undefined) this.#heap.pop();
    return this.#heap.peek()?.at;
  }

  /** Moves time to the next timer and fires it. */
  fireNext(): void {
    if (this.nextAt() === undefined) return;
    const timer = this.#heap.pop();
    if (timer === undefined) return;
    this.#elapsed = timer.at;
    const { fn } = timer;
    timer.fn = undefined;
    fn?.();
  }

  /** Moves time on without firing; not past the next timer. */
  advanceTo(monotonic: number): void {
    this.#elapsed = Math.max(this.#elapsed, Math.min(monotonic, this.nextAt() ?? monotonic));
  }
}

function isBefore(a: Timer, b: Timer): boolean {
  if (a.at !== b.at) return a.at < b.at;
  if (a.tie !== b.tie) return a.tie < b.tie;
  return a.sequence < b.sequence;
}
