import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SortedMap } from "./sorted-map.ts";

type Model = [string, number][];

const sorted = (model: Map<string, number>): Model =>
  [...model].sort(([a], [b]) => (a < b ? -1 : 1));

/** Few letters, so that keys meet often. */
const keys = fc.string({ unit: fc.constantFrom("a", "b", "/", "\0"), maxLength: 6 });

const changes = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.tuple(fc.constant("set" as const), keys, fc.nat(3)) },
    { weight: 2, arbitrary: fc.tuple(fc.constant("delete" as const), keys, fc.nat(3)) },
  ),
  { maxLength: 400 },
);

describe("SortedMap", () => {
  it("equals a sorted array after any changes, and no change touches an older map", () => {
    fc.assert(
      fc.property(fc.array(keys), changes, keys, keys, (initial, steps, start, end) => {
        const model = new Map(initial.map((key, i) => [key, i]));
        let map = SortedMap.from(initial.map((key, i) => [key, i] as const));
        const history: [SortedMap<number>, Model][] = [];
        for (const [kind, key, value] of steps) {
          if (history.length < 20) history.push([map, sorted(model)]);
          if (kind === "set") {
            model.set(key, value);
            map = map.set(key, value);
          } else {
            model.delete(key);
            map = map.delete(key);
          }
        }
        history.push([map, sorted(model)]);
        for (const [snapshot, expected] of history) check(snapshot, expected, start, end);
      }),
    );
  });

  it("stays right over many inserts and deletes at size", () => {
    const model = new Map<string, number>();
    let map = SortedMap.empty<number>();
    let seed = 7;
    const draw = (limit: number): number => {
      seed = (seed * 1103515245 + 12345) % 2147483648;
      return seed % limit;
    };
    for (let i = 0; i < 20_000; i++) {
      const key = `k${draw(4000)}`;
      if (draw(3) === 0 || i > 15_000) {
        model.delete(key);
        map = map.delete(key);
      } else {
        model.set(key, i);
        map = map.set(key, i);
      }
    }
    check(map, sorted(model), "k1", "k3");
  });

  it("gives itself back when nothing changes", () => {
    const map = SortedMap.from([["a", 1]]);
    expect(map.set("a", 1)).toBe(map);
    expect(map.delete("b")).toBe(map);
    expect(map.delete("a").size).toBe(0);
  });

  it("takes entries in any order, the last of equal keys winning", () => {
    const map = SortedMap.from([
      ["b", 1],
      ["a", 2],
      ["b", 3],
    ]);
    expect([...map.entries()]).toEqual([
      ["a", 2],
      ["b", 3],
    ]);
  });
});

function check(map: SortedMap<number>, expected: Model, start: string, end: string): void {
  expect([...map.entries()]).toEqual(expected);
  expect(map.size).toBe(expected.length);
  const within = expected.filter(([key]) => key >= start && key < end);
  expect([...map.keys({ start, end })]).toEqual(within.map(([key]) => key));
  expect([...map.values({ start, end })]).toEqual(within.map(([, value]) => value));
  expect(map.count({ start, end })).toBe(within.length);
  expect(map.rank(start)).toBe(expected.filter(([key]) => key < start).length);
  expect(map.get(start)).toBe(expected.find(([key]) => key === start)?.[1]);
  expect(map.has(start)).toBe(expected.some(([key]) => key === start));
  const middle = expected.length >> 1;
  expect(map.keyAt(middle)).toBe(expected[middle]?.[0]);
  expect(map.keyAt(expected.length)).toBeUndefined();
}
