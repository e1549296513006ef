// All keys in order, in pages of bounded size: finding a key is a hash look-up, inserting and finding the start of a
// range two binary searches. Pages count their living keys, so that the count of a large range costs its pages and
// not its keys. Knows chains of records, not values.
import {
  type IndexPage,
  type KeyEntry,
  type RevisionRecord,
  isTombstone,
  recordAt,
} from "./revision-record.ts";

export const pageEntriesMax = 256;

export interface IndexRange {
  readonly records: RevisionRecord[];
  readonly count: number;
}

export class KeyIndex {
  readonly #entries = new Map<string, KeyEntry>();
  #pages: IndexPage[] = [];

  get size(): number {
    return this.#entries.size;
  }

  find(sortKey: string): KeyEntry | undefined {
    return this.#entries.get(sortKey);
  }

  /** The entry of the key, made when it does not exist; without changes it counts as absent. */
  obtain(key: string, sortKey: string): KeyEntry {
    const found = this.#entries.get(sortKey);
    if (found !== undefined) return found;
    const entry: KeyEntry = { key, sortKey, newest: undefined, page: undefined };
    this.#entries.set(sortKey, entry);
    this.#insert(entry);
    return entry;
  }

  /** Makes `record` the newest change of its key. */
  push(record: RevisionRecord): void {
    const { entry } = record;
    const page = entry.page!;
    const lived = entry.newest !== undefined && !isTombstone(entry.newest);
    const lives = !isTombstone(record);
    if (lives !== lived) page.living += lives ? 1 : -1;
    page.newestRevision = Math.max(page.newestRevision, record.revision);
    entry.newest = record;
  }

  remove(entry: KeyEntry): void {
    this.#entries.delete(entry.sortKey);
    const page = entry.page!;
    page.entries.splice(lowerBound(page.entries, entry.sortKey), 1);
    if (entry.newest !== undefined && !isTombstone(entry.newest)) page.living -= 1;
    if (page.entries.length === 0) this.#pages.splice(this.#pages.indexOf(page), 1);
    entry.page = undefined;
  }

  /** What [start, end) held at `revision`, at most `limit` records, and how many it held in all. */
  range(start: string, end: string, revision: number, limit: number): IndexRange {
    const records: RevisionRecord[] = [];
    let count = 0;
    for (let at = this.#pageFor(start); at < this.#pages.length; at += 1) {
      const page = this.#pages[at]!;
      const { entries } = page;
      if (entries[0]!.sortKey >= end) break;
      const whole = entries[0]!.sortKey >= start && entries.at(-1)!.sortKey < end;
      if (whole && records.length >= limit && page.newestRevision <= revision) {
        count += page.living;
        continue;
      }
      const first = whole ? 0 : lowerBound(entries, start);
      const behind = whole ? entries.length : lowerBound(entries, end);
      for (let i = first; i < behind; i += 1) {
        const record = recordAt(entries[i]!, revision);
        if (record === undefined) continue;
        count += 1;
        if (records.length < limit) records.push(record);
      }
    }
    return { records, count };
  }

  #insert(entry: KeyEntry): void {
    if (this.#pages.length === 0) {
      entry.page = { entries: [entry], living: 0, newestRevision: 0 };
      this.#pages.push(entry.page);
      return;
    }
    const at = this.#pageFor(entry.sortKey);
    const page = this.#pages[at]!;
    page.entries.splice(lowerBound(page.entries, entry.sortKey), 0, entry);
    entry.page = page;
    if (page.entries.length > pageEntriesMax) this.#split(at);
  }

  #split(at: number): void {
    const page = this.#pages[at]!;
    const entries = page.entries.splice(page.entries.length >> 1);
    const right: IndexPage = { entries, living: 0, newestRevision: page.newestRevision };
    for (const entry of entries) {
      entry.page = right;
      if (entry.newest !== undefined && !isTombstone(entry.newest)) right.living += 1;
    }
    page.living -= right.living;
    this.#pages.splice(at + 1, 0, right);
  }

  /** The last page that starts at or before the key; the first page when none does. */
  #pageFor(sortKey: string): number {
    let low = 0;
    let high = this.#pages.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#pages[middle]!.entries[0]!.sortKey <= sortKey) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }
}

/** The position of the first entry that is not below the key. */
function lowerBound(entries: readonly KeyEntry[], sortKey: string): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (entries[middle]!.sortKey < sortKey) low = middle + 1;
    else high = middle;
  }
  return low;
}
