// The rows that are kept, a fixed number of them: space-saving (Metwally, Agrawal, El Abbadi 2005). A newcomer takes the
// place of the lightest row and starts with its weight, so that whoever took more than a `capacity`-th of all load is
// surely among the rows, and `weightError` says how far a row's rank may be too high. What a row has counted is exact
// from its entry on; what leaves is added to `others`, so that rows and others together are always everything.
import { assert } from "../../std/assert.ts";
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

  constructor(capacity: number, limits: WindowLimits) {
    assert(capacity > 0, "a ledger has rows");
    this.#capacity = capacity;
    this.#limits = limits;
    this.others = new Row(nobody, limits);
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
    const row = new Row(who, this.#limits);
    if (this.#rows.size >= this.#capacity) {
      const lightest = this.#lightest();
      this.#rows.delete(lightest.key);
      this.others.absorb(lightest);
      row.weight = lightest.weight;
      row.weightError = lightest.weight;
    }
    this.#rows.set(who.key, row);
    return row;
  }

  /** Past load counts less and less, or whoever was heavy once would be it for ever. */
  fade(factor: number): void {
    for (const row of this.#rows.values()) {
      row.weight *= factor;
      row.weightError *= factor;
    }
  }

  #lightest(): Row {
    let lightest: Row | undefined;
    for (const row of this.#rows.values())
      if (lightest === undefined || row.weight < lightest.weight) lightest = row;
    assert(lightest !== undefined, "a full table has rows");
    return lightest;
  }
}
