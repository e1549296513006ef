// Whole ranges that are read thousands of times between two changes: read from the store once and handed out again, as
// long as no write touched them. What a read costs is charged by others; this only spares the rehearsal's own time.
import type {
  KeyValue,
  RangeOptions,
  RangeResult,
  Store,
  Transaction,
  TransactionResult,
} from "../../storage/store.ts";

interface Kept {
  readonly start: string;
  readonly end: string;
  readonly kvs: readonly KeyValue[];
  readonly bytes: number;
}

/** Ranges kept at one time. */
const keptMax = 16;

export interface SizedRange {
  readonly result: RangeResult;
  /** Of all values in it. */
  readonly bytes: number;
}

export class RangeMemo {
  readonly #store: Store;
  readonly #kept = new Map<string, Kept>();

  constructor(store: Store) {
    this.#store = store;
  }

  async range(options: RangeOptions): Promise<SizedRange> {
    const { start, end, revision, limit, keysOnly } = options;
    const isWhole =
      end !== undefined && revision === undefined && limit === undefined && keysOnly !== true;
    if (!isWhole) return sized(await this.#store.range(options));
    const key = `${start}\n${end}`;
    // Asked before the memo is looked at: a write in between makes the answer newer than it says, never older.
    const current = await this.#store.currentRevision();
    const known = this.#kept.get(key);
    if (known !== undefined) {
      const { kvs, bytes } = known;
      return { result: { kind: "Range", revision: current, kvs, count: kvs.length }, bytes };
    }
    const read = sized(await this.#store.range(options));
    if (read.result.kind === "Range" && read.result.revision === current)
      this.#keep(key, { start, end, kvs: read.result.kvs, bytes: read.bytes });
    return read;
  }

  /** The only way to write past which no memo is wrong. */
  transact(transaction: Transaction): Promise<TransactionResult> {
    this.#forget(transaction);
    const written = this.#store.transact(transaction);
    // A read that began before it and ended after must not be kept either.
    return written.finally(() => this.#forget(transaction));
  }

  #keep(key: string, kept: Kept): void {
    this.#kept.set(key, kept);
    if (this.#kept.size <= keptMax) return;
    const [oldest] = this.#kept.keys();
    if (oldest !== undefined) this.#kept.delete(oldest);
  }

  #forget({ success, failure }: Transaction): void {
    if (this.#kept.size === 0) return;
    for (const operation of [...success, ...failure]) {
      if (operation.kind === "Get") continue;
      for (const [name, { start, end }] of this.#kept)
        if (operation.key >= start && operation.key < end) this.#kept.delete(name);
    }
  }
}

function sized(result: RangeResult): SizedRange {
  if (result.kind !== "Range") return { result, bytes: 0 };
  return { result, bytes: result.kvs.reduce((sum, { value }) => sum + value.length, 0) };
}
