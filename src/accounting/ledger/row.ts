// One row of the ledger: a client and a shape of request, with totals and a ring of slots that makes the sliding window.
import { countersSize } from "./counters.ts";
import { RecentObjects } from "./recent-objects.ts";
import type { Client, Shape } from "./shape.ts";

export interface WindowLimits {
  readonly slotMs: number;
  readonly slots: number;
}

export const windowDefaults: WindowLimits = { slotMs: 10_000, slots: 30 };

interface Slot {
  readonly place: number;
  slot: number;
  readonly counts: Float64Array;
}

export class Row {
  readonly key: string;
  readonly client: Client;
  readonly shape: Shape;
  readonly total: Float64Array;
  watchesOpen = 0;
  /** Most requests of one second within the window. */
  #peak = 0;
  #peakSlot = -1;
  #second = -1;
  #inSecond = 0;
  /** For `repeatedWrites`; rows that write nothing have none. */
  #written: RecentObjects | undefined;
  /** clock.monotonic ms of the last refusal, and until when it asked to wait. */
  refusedAt = -1;
  waitUntil = -1;
  /** Rank among the rows: what it took, plus what it may have taken before it had a row. */
  weight = 0;
  /** The second part of `weight`: how far it may be wrong. */
  weightError = 0;
  /** `weight` as HeavyRows last looked at it: never above. */
  rank = 0;
  readonly #limits: WindowLimits;
  /** Slots that were counted in, by place; a row that comes and goes has one. */
  readonly #ring: Slot[];
  /** Index of the one that was counted in last. */
  #newest = 0;

  /** `old`: a row that nobody needs any more, whose memory the new one takes: many come and go in a second. */
  constructor(
    who: { readonly key: string; readonly client: Client; readonly shape: Shape },
    limits: WindowLimits,
    old: Row | undefined,
  ) {
    this.key = who.key;
    this.client = who.client;
    this.shape = who.shape;
    this.#limits = limits;
    this.total = old === undefined ? new Float64Array(countersSize) : old.total.fill(0);
    this.#ring = old === undefined ? [] : old.#ring;
    for (const held of this.#ring) held.slot = -1;
  }

  /** To both the total and the slot of now; `counter` is a place from counters.ts. */
  add(slot: number, counter: number, amount: number): void {
    if (amount === 0) return;
    this.total[counter]! += amount;
    this.#countsOf(slot)[counter]! += amount;
  }

  /** Whether this object was among the last that it wrote. */
  wroteBefore(object: string): boolean {
    this.#written ??= new RecentObjects();
    return this.#written.add(object);
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
    for (const { slot: of, counts } of this.#ring) {
      if (of < 0 || of <= slot - this.#limits.slots) continue;
      for (let i = 0; i < countersSize; i++) sum[i]! += counts[i]!;
    }
    return sum;
  }

  /** Takes over all that another row has counted. */
  absorb(other: Row): void {
    for (let i = 0; i < countersSize; i++) this.total[i]! += other.total[i]!;
    for (const { slot, counts } of other.#ring) {
      if (slot < 0 || this.#slotAt(slot).slot > slot) continue;
      const own = this.#countsOf(slot);
      for (let i = 0; i < countersSize; i++) own[i]! += counts[i]!;
    }
  }

  /** Of this slot, all 0 where nothing was counted yet. */
  #countsOf(slot: number): Float64Array {
    const held = this.#slotAt(slot);
    if (held.slot !== slot) {
      held.slot = slot;
      held.counts.fill(0);
    }
    return held.counts;
  }

  /** What stands in the slot's place. */
  #slotAt(slot: number): Slot {
    const place = slot % this.#limits.slots;
    let held = this.#ring[this.#newest];
    if (held?.place === place) return held;
    this.#newest = this.#ring.findIndex((one) => one.place === place);
    held = this.#ring[this.#newest];
    if (held !== undefined) return held;
    this.#newest = this.#ring.length;
    const made: Slot = { place, slot: -1, counts: new Float64Array(countersSize) };
    this.#ring.push(made);
    return made;
  }
}
