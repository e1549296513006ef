// When a quota was charged, so that it is not counted anew before what it was charged for can be seen: an object is stored
// after its charge, and reaches the informers after that. To count in between would give its charge to somebody else.
// (Kubernetes does, so there two creates and a delete at once can exceed a quota.)

/** From a charge until its object is surely seen. */
const settleMs = 1_000;
/** Who is charged all the time is counted all the same. */
const postponeMsMax = 5_000;

interface Charged {
  readonly firstAt: number;
  readonly lastAt: number;
}

export class RecentCharges {
  readonly #charged = new Map<string, Charged>();

  note(key: string, now: number): void {
    const known = this.#charged.get(key);
    const isGoingOn = known !== undefined && now - known.lastAt < settleMs;
    this.#charged.set(key, { firstAt: isGoingOn ? known.firstAt : now, lastAt: now });
  }

  /** How long to wait before counting; 0: not at all. */
  restMs(key: string, now: number): number {
    const known = this.#charged.get(key);
    if (known === undefined) return 0;
    const ready = Math.min(known.lastAt + settleMs, known.firstAt + postponeMsMax);
    if (ready <= now) this.#charged.delete(key);
    return Math.max(0, ready - now);
  }

  delete(key: string): void {
    this.#charged.delete(key);
  }
}
