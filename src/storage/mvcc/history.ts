// The changes since the last compaction in revision order, for watches that start in the past. Changes are added at
// the new end and dropped at the old end, both in constant time on average.
import type { RevisionRecord } from "./revision-record.ts";

const slackMin = 1024;

export class History {
  #records: RevisionRecord[] = [];
  /** Records before this position are dropped already. */
  #head = 0;

  get length(): number {
    return this.#records.length - this.#head;
  }

  at(index: number): RevisionRecord | undefined {
    return this.#records[this.#head + index];
  }

  push(record: RevisionRecord): void {
    this.#records.push(record);
  }

  dropFirst(): void {
    this.#head += 1;
    if (this.#head < slackMin || this.#head * 2 < this.#records.length) return;
    this.#records = this.#records.slice(this.#head);
    this.#head = 0;
  }

  /** Position of the first change whose revision is at least `revision`. */
  positionOf(revision: number): number {
    let low = this.#head;
    let high = this.#records.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#records[middle]!.revision < revision) low = middle + 1;
      else high = middle;
    }
    return low - this.#head;
  }
}
