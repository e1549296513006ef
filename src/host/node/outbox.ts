// What was handed to connections and is not taken yet. A client that stops reading holds what is under way until it is
// given up here: a piece of an answer, however long the rest may take.
import { performance } from "node:perf_hooks";

/** A stream or a response. */
export interface Sender {
  destroy(): unknown;
}

export class Outbox {
  readonly #takeMs: number;
  readonly #dropped: () => void;
  /** Since when, oldest first. */
  readonly #waiting = new Map<Sender, number>();

  /** `dropped` is told of each that is given up. */
  constructor(takeMs: number, dropped: () => void) {
    this.#takeMs = takeMs;
    this.#dropped = dropped;
  }

  get size(): number {
    return this.#waiting.size;
  }

  sent(sender: Sender): void {
    this.#waiting.set(sender, performance.now());
  }

  taken(sender: Sender): void {
    this.#waiting.delete(sender);
  }

  dropOverdue(): void {
    const now = performance.now();
    for (const [sender, since] of this.#waiting) {
      if (now - since < this.#takeMs) break;
      this.#waiting.delete(sender);
      this.#dropped();
      sender.destroy();
    }
  }
}
