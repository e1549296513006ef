import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { scaledValue } from "./int-or-percent.ts";
import { sameStatus } from "./same-status.ts";
import { slowStart } from "./slow-start.ts";
import { canonical, templateHash } from "./template-hash.ts";

describe("scaledValue", () => {
  it.each([
    [undefined, 10, "up", 0],
    [3, 10, "up", 3],
    ["25%", 10, "up", 3],
    ["25%", 10, "down", 2],
    ["100%", 7, "down", 7],
    ["0%", 7, "up", 0],
  ] as const)("of %s of %i, rounded %s, is %i", (value, total, rounding, expected) => {
    expect(scaledValue(value, total, rounding)).toBe(expected);
  });
});

describe("slowStart", () => {
  it("doubles its batches", async () => {
    const batches: number[][] = [];
    let current: number[] = [];
    const done = await slowStart(9, async (index) => {
      if (current.length === 0)
        void Promise.resolve().then(() => {
          batches.push(current);
          current = [];
        });
      current.push(index);
    });
    expect(done).toEqual({ successes: 9, skipped: 0, error: undefined });
    expect(batches.map(({ length }) => length)).toEqual([1, 2, 4, 2]);
  });

  it("stops after the batch that failed", async () => {
    const error = new Error("no");
    const tried: number[] = [];
    const done = await slowStart(9, async (index) => {
      tried.push(index);
      if (index === 1) throw error;
    });
    expect(tried).toEqual([0, 1, 2]);
    expect(done).toEqual({ successes: 2, skipped: 6, error });
  });
});

describe("templateHash", () => {
  it("does not see the order of fields", () => {
    const a = { metadata: { labels: { x: "1", y: "2" } }, spec: { containers: [] } };
    const b = { spec: { containers: [] }, metadata: { labels: { y: "2", x: "1" } } };
    expect(templateHash(a)).toBe(templateHash(b));
    expect(templateHash(a)).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{1,10}$/);
    expect(templateHash(a, 1)).not.toBe(templateHash(a));
  });

  it("is made of all there is", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        // Undefined fields and the order of keys aside, it is JSON.
        expect(JSON.parse(canonical(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});

describe("sameStatus", () => {
  it.each([
    [{ replicas: 0 }, {}, true],
    [{ conditions: [] }, {}, true],
    [{ replicas: 1 }, {}, false],
    [{ conditions: [{ type: "A" }] }, { conditions: [{ type: "B" }] }, false],
    [undefined, {}, true],
    [undefined, { replicas: 1 }, false],
  ])("of %j and %j is %s", (a, b, same) => {
    expect(sameStatus(a, b)).toBe(same);
    expect(sameStatus(b, a)).toBe(same);
  });
});
