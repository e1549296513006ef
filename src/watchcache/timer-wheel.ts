// One coarse timer for thousands of watchers: each says when it wants to be called next, and a single host timer serves
// whole seconds of them at once.
import type { Cancel, Clock } from "../host/host.ts";

/** Calls come less than this early, never late by more than the host's own delay. */
export const tickMs = 1_000;

export interface WheelEntry {
  /** `now` as clock.monotonic. Gives the next time it wants to be called, or undefined for never. */
  tick(now: number): number | undefined;
}

export class TimerWheel {
  readonly #clock: Clock;
  readonly #slots = new Map<number, Set<WheelEntry>>();
  readonly #slotOf = new Map<WheelEntry, number>();
  #cancel: Cancel | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#slotOf.size;
  }

  /** `at` as clock.monotonic. An entry has one time; a new one replaces it. */
  set(entry: WheelEntry, at: number): void {
    this.remove(entry);
    const slot = Math.max(Math.floor(at / tickMs), this.#current() + 1);
    let entries = this.#slots.get(slot);
    if (entries === undefined) this.#slots.set(slot, (entries = new Set()));
    entries.add(entry);
    this.#slotOf.set(entry, slot);
    this.#arm();
  }

  remove(entry: WheelEntry): void {
    const slot = this.#slotOf.get(entry);
    if (slot === undefined) return;
    this.#slotOf.delete(entry);
    const entries = this.#slots.get(slot)!;
    entries.delete(entry);
    if (entries.size === 0) this.#slots.delete(slot);
    if (this.#slotOf.size === 0) this.#disarm();
  }

  #current(): number {
    return Math.floor(this.#clock.monotonic() / tickMs);
  }

  #arm(): void {
    if (this.#cancel !== undefined) return;
    const wait = (this.#current() + 1) * tickMs - this.#clock.monotonic();
    this.#cancel = this.#clock.after(wait, () => {
      this.#cancel = undefined;
      this.#serve();
      if (this.#slotOf.size > 0) this.#arm();
    });
  }

  #disarm(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #serve(): void {
    const now = this.#clock.monotonic();
    const current = this.#current();
    for (const slot of [...this.#slots.keys()].filter((slot) => slot <= current).sort(ascending)) {
      for (const entry of this.#slots.get(slot) ?? []) {
        this.remove(entry);
        const next = entry.tick(now);
        if (next !== undefined) this.set(entry, next);
      }
    }
  }
}

function ascending(a: number, b: number): number {
  return a - b;
}
