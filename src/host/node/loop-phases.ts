// Work that is ready, a little in each turn of the event loop: between two slices sockets are read and timers run, so that
// a small request meets a slice of work and not all of it. Without this, four hundred lists that are under way at once each
// send a chunk before anybody else is heard.
import { performance } from "node:perf_hooks";

/** How long one source of work may hold the loop in one of its turns; one piece more may begin just before the end. */
const sliceMs = 2;

export interface ReadyWork {
  /** Pieces that are ready now. */
  count(): number;
  /** Begins the next piece. What it resolves runs before the next one begins. */
  begin(): void;
}

export class LoopPhases {
  readonly #work: ReadyWork;
  #armed = false;
  #endsAt = 0;
  /** Only what was ready when the slice began: what it makes ready waits until sockets had their chance. */
  #left = 0;

  constructor(work: ReadyWork) {
    this.#work = work;
  }

  /** There is work; it runs from the next turn on. */
  arm(): void {
    if (this.#armed) return;
    this.#armed = true;
    setImmediate(this.#slice);
  }

  readonly #slice = (): void => {
    this.#endsAt = performance.now() + sliceMs;
    this.#left = this.#work.count();
    this.#next();
  };

  readonly #next = (): void => {
    if (this.#left === 0 || performance.now() >= this.#endsAt) {
      this.#armed = this.#work.count() > 0;
      if (this.#armed) setImmediate(this.#slice);
      return;
    }
    this.#left--;
    // A tick that a promise's job asks for runs after all the jobs that are ready by then: after what `begin` resolves.
    queueMicrotask(() => process.nextTick(this.#next));
    this.#work.begin();
  };
}
