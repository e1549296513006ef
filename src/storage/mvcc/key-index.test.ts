import { describe, expect, it } from "vitest";
import { KeyIndex, pageEntriesMax } from "./key-index.ts";
import type { KeyEntry } from "./revision-record.ts";
import { sortKeyOf } from "./sort-key.ts";

/** Small and repeatable (mulberry32). */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}

function change(index: KeyIndex, key: string, revision: number, version: number): KeyEntry {
  const entry = index.obtain(key, sortKeyOf(key));
  const older = entry.newest;
  index.push({
    id: revision,
    entry,
    revision,
    createRevision: 1,
    version,
    lease: undefined,
    older,
  });
  return entry;
}

describe("the key index", () => {
  it("keeps order and counts through splits, deletions and removals", () => {
    const next = numbers(7);
    const index = new KeyIndex();
    const naive = new Map<string, { living: boolean; entry: KeyEntry }>();
    for (let revision = 2; revision < 12_000; revision += 1) {
      const key = `/k/${next() % (pageEntriesMax * 12)}`;
      const known = naive.get(key);
      if (known !== undefined && !known.living && revision % 3 === 0) {
        index.remove(known.entry);
        naive.delete(key);
        continue;
      }
      const living = known === undefined || !known.living || revision % 2 === 0;
      naive.set(key, { living, entry: change(index, key, revision, living ? 1 : 0) });
    }
    expect(index.size).toBe(naive.size);
    expect(naive.size).toBeGreaterThan(pageEntriesMax * 4);
    const living = [...naive].filter(([, { living }]) => living).map(([key]) => key);
    living.sort();
    for (let i = 0; i < 300; i += 1) {
      const [start, end] = [`/k/${next() % 4000}`, `/k/${next() % 4000}`].toSorted();
      const limit = i % 5 === 0 ? 3 : Infinity;
      const expected = living.filter((key) => key >= start! && key < end!);
      const { records, count } = index.range(start!, end!, 20_000, limit);
      expect(count).toBe(expected.length);
      expect(records.map(({ entry }) => entry.key)).toEqual(expected.slice(0, limit));
    }
  });

  it("reads each revision of a key", () => {
    const index = new KeyIndex();
    change(index, "/a", 2, 1);
    change(index, "/a", 5, 2);
    change(index, "/a", 7, 0);
    change(index, "/a", 9, 1);
    const found = [1, 2, 4, 5, 6, 7, 8, 9, 99].map(
      (revision) => index.range("/a", "/b", revision, 9).records[0]?.revision,
    );
    expect(found).toEqual([undefined, 2, 2, 5, 5, undefined, undefined, 9, 9]);
  });

  it.each([
    [["/z", "/é", "/\uFFFD", "/\u{1F30A}"]],
    [["/a", "/a\0", "/a/", "/a/b", "/a0", "/ab"]],
    [["/\u007f", "/\u0080", "/\u07ff", "/\u0800", "/\uD7FF", "/\uE000", "/\u{10000}"]],
  ])("orders %j by their UTF-8", (keys) => {
    const sorted = keys.toReversed().toSorted((a, b) => (sortKeyOf(a) < sortKeyOf(b) ? -1 : 1));
    expect(sorted).toEqual(keys);
    expect(sorted).toEqual(keys.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
  });
});
