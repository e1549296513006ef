// The rows that are kept, a fixed number of them: space-saving (Metwally, Agrawal, El Abbadi 2005). A newcomer takes the
// place of the lightest row and starts with its weight, so that whoever took more than a `capacity`-th of all load is
// surely among the rows, and `weightError` says how far a row's rank may be too high. What a row has counted is exact
// from its entry on; what leaves is added to `others`, so that rows and others together are always everything.
import { assert } from "../../std/assert.ts";
import { Heap } from "../../std/heap.ts";
import { Row, type WindowLimits } from "./row.ts";

const nobody = {
  key: "",
  client: {
    user: "",
    userAgent: "",
    source: "",
    flowSchema: "",
    priorityLevel: "",
    exempt: false,
  },
  shape: {
    verb: "",
    group: "",
    resource: "",
    subresource: "",
    namespaced: false,
    labelSelector: "",
    fieldSelector: "",
    resourceVersion: "",
    limit: "",
    path: "",
  },
} as const;

export class HeavyRows {
  readonly others: Row;
  readonly #capacity: number;
  readonly #limits: WindowLimits;
  readonly #rows = new Map<string, Row>();
  /** By `rank`, which may lag behind `weight` but is never above it. */
  readonly #lightestFirst = new Heap<Row>((a, b) => a.rank < b.rank);

  constructor(capacity: number, limits: WindowLimits) {
    assert(capacity > 0, "a ledger has rows");
    this.#capacity = capacity;
    this.#limits = limits;
    this.others = new Row(nobody, limits, undefined);
  }

  get size(): number {
    return this.#rows.size;
  }

  values(): Iterable<Row> {
    return this.#rows.values();
  }

  find(key: string): Row | undefined {
    return this.#rows.get(key);
  }

  /** `who.key` has no row. */
  enter(who: Pick<Row, "key" | "client" | "shape">): Row {
    const lightest = this.#rows.size < this.#capacity ? undefined : this.#takeLightest();
    if (lightest !== undefined) {
      this.#rows.delete(lightest.key);
      this.others.absorb(lightest);
    }
    const row = new Row(who, this.#limits, lightest);
    row.weight = row.weightError = lightest?.weight ?? 0;
    this.#rows.set(who.key, row);
    row.rank = row.weight;
    this.#lightestFirst.push(row);
    return row;
  }

  /** Past load counts less and less, or whoever was heavy once would be it for ever. */
  fade(factor: number): void {
    for (const row of this.#rows.values()) {
      row.weight *= factor;
      row.weightError *= factor;
      row.rank *= factor;
    }
  }

  /** Weights only grow between two fadings, so whoever is first with its true weight is the lightest. */
  #takeLightest(): Row {
    for (;;) {
      const row = this.#lightestFirst.pop();
      assert(row !== undefined, "a full table has rows");
      if (row.rank === row.weight) return row;
      row.rank = row.weight;
      this.#lightestFirst.push(row);
    }
  }
}
