// One row of the ledger: a client and a shape of request, with totals and a ring of slots that makes the sliding window.
import { countersSize } from "./counters.ts";
import type { Client, Shape } from "./shape.ts";

export interface WindowLimits {
  readonly slotMs: number;
  readonly slots: number;
}

export const windowDefaults: WindowLimits = { slotMs: 10_000, slots: 30 };

export class Row {
  readonly key: string;
  readonly client: Client;
  readonly shape: Shape;
  readonly total: Float64Array = new Float64Array(countersSize);
  watchesOpen = 0;
  /** Most requests of one second within the window. */
  #peak = 0;
  #peakSlot = -1;
  #second = -1;
  #inSecond = 0;
  /** For `repeatedWrites`. */
  lastWritten = "";
  /** clock.monotonic ms of the last refusal, and until when it asked to wait. */
  refusedAt = -1;
  waitUntil = -1;
  /** Rank among the rows: what it took, plus what it may have taken before it had a row. */
  weight = 0;
  /** The second part of `weight`: how far it may be wrong. */
  weightError = 0;
  /** Where the slot that was counted in last begins. */
  #slot = -1;
  #start = 0;
  readonly #limits: WindowLimits;
  readonly #ring: Float64Array;
  readonly #slotOf: Float64Array;

  constructor(
    who: { readonly key: string; readonly client: Client; readonly shape: Shape },
    limits: WindowLimits,
  ) {
    this.key = who.key;
    this.client = who.client;
    this.shape = who.shape;
    this.#limits = limits;
    this.#ring = new Float64Array(countersSize * limits.slots);
    this.#slotOf = new Float64Array(limits.slots).fill(-1);
  }

  /** To both the total and the slot of now; `counter` is a place from counters.ts. */
  add(slot: number, counter: number, amount: number): void {
    if (amount === 0) return;
    this.total[counter]! += amount;
    const start = slot === this.#slot ? this.#start : this.#place(slot);
    this.#ring[start + counter]! += amount;
  }

  /** A request that began in this second. */
  arrived(slot: number, second: number): void {
    if (second !== this.#second) {
      this.#second = second;
      this.#inSecond = 0;
    }
    this.#inSecond += 1;
    if (this.#inSecond < this.#peak && slot - this.#peakSlot < this.#limits.slots) return;
    this.#peak = this.#inSecond;
    this.#peakSlot = slot;
  }

  peak(slot: number): number {
    return slot - this.#peakSlot < this.#limits.slots ? this.#peak : 0;
  }

  /** Sums of the slots that are still in the window that ends with `slot`. */
  window(slot: number): Float64Array {
    const sum = new Float64Array(countersSize);
    for (let place = 0; place < this.#limits.slots; place++) {
      if (this.#slotOf[place]! <= slot - this.#limits.slots) continue;
      for (let i = 0; i < countersSize; i++) sum[i]! += this.#ring[place * countersSize + i]!;
    }
    return sum;
  }

  /** Takes over all that another row has counted. */
  absorb(other: Row): void {
    for (let i = 0; i < countersSize; i++) this.total[i]! += other.total[i]!;
    for (let place = 0; place < other.#limits.slots; place++) {
      const slot = other.#slotOf[place]!;
      if (slot < 0) continue;
      const own = this.#slotOf[slot % this.#limits.slots]!;
      if (own > slot) continue;
      const to = this.#place(slot);
      for (let i = 0; i < countersSize; i++)
        this.#ring[to + i]! += other.#ring[place * countersSize + i]!;
    }
  }

  #place(slot: number): number {
    const place = slot % this.#limits.slots;
    const start = place * countersSize;
    this.#slot = slot;
    this.#start = start;
    if (this.#slotOf[place] === slot) return start;
    this.#slotOf[place] = slot;
    this.#ring.fill(0, start, start + countersSize);
    return start;
  }
}
