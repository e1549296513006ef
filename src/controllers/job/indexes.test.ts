import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatIndexes, parseIndexes, pendingIndexes } from "./indexes.ts";

describe("index sets", () => {
  it.each([
    ["", []],
    ["3", [3]],
    ["1,2", [1, 2]],
    ["1-3", [1, 2, 3]],
    ["0,2-4,7", [0, 2, 3, 4, 7]],
  ])("%s", (text, indexes) => {
    expect([...parseIndexes(text, 100)]).toEqual(indexes);
    expect(formatIndexes(new Set(indexes))).toBe(text);
  });

  it("leaves out what is beyond the completions", () => {
    expect([...parseIndexes("0-9,12", 3)]).toEqual([0, 1, 2]);
  });

  it("reads what it writes", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(50)), (indexes) => {
        const set = new Set(indexes);
        expect(parseIndexes(formatIndexes(set), 51)).toEqual(set);
      }),
    );
  });

  it("finds the lowest that are free", () => {
    expect(pendingIndexes(3, 10, [new Set([0, 2]), new Set([3])])).toEqual([1, 4, 5]);
    expect(pendingIndexes(3, 4, [new Set([0, 2])])).toEqual([1, 3]);
  });
});
