// What happened when, in a fixed number of slots of equal length: when time outgrows them, neighbours are merged and each
// slot counts for twice as long. Columns are sums or peaks.

export type ColumnKind = "sum" | "peak";

export class SlotSeries<Name extends string> {
  readonly #kinds: Readonly<Record<Name, ColumnKind>>;
  readonly #columns: ReadonlyMap<Name, Float64Array>;
  readonly #slotsMax: number;
  #slotMs: number;
  #used = 0;

  /** `slotMs`: length of a slot at first. */
  constructor(kinds: Readonly<Record<Name, ColumnKind>>, slotMs: number, slotsMax: number) {
    this.#kinds = kinds;
    this.#slotMs = slotMs;
    this.#slotsMax = slotsMax;
    const names = Object.keys(kinds) as Name[];
    this.#columns = new Map(names.map((name) => [name, new Float64Array(slotsMax)]));
  }

  get slotMs(): number {
    return this.#slotMs;
  }

  /** `atMs` from the start of the series. */
  record(name: Name, atMs: number, value: number): void {
    while (atMs >= this.#slotMs * this.#slotsMax) this.#merge();
    const slot = Math.max(0, Math.floor(atMs / this.#slotMs));
    this.#used = Math.max(this.#used, slot + 1);
    const column = this.#columns.get(name);
    if (column === undefined) return;
    const before = column[slot] ?? 0;
    column[slot] = this.#kinds[name] === "sum" ? before + value : Math.max(before, value);
  }

  /** Up to the last slot in which something was recorded. */
  values(name: Name): readonly number[] {
    return [...(this.#columns.get(name) ?? [])].slice(0, this.#used);
  }

  #merge(): void {
    for (const [name, column] of this.#columns) {
      const sum = this.#kinds[name] === "sum";
      for (let slot = 0; slot < this.#slotsMax; slot++) {
        const [a, b] = [column[2 * slot] ?? 0, column[2 * slot + 1] ?? 0];
        column[slot] = sum ? a + b : Math.max(a, b);
      }
    }
    this.#slotMs *= 2;
    this.#used = Math.ceil(this.#used / 2);
  }
}
