import { array, assert, double, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { Histogram } from "./histogram.ts";

function histogramOf(values: readonly number[]): Histogram {
  const histogram = new Histogram();
  for (const value of values) histogram.record(value);
  return histogram;
}

describe("a histogram", () => {
  it("is right within its promise, whatever the values", () => {
    const values = array(double({ min: 0.02, max: 1e7, noNaN: true }), { minLength: 1 });
    assert(
      property(values, double({ min: 0.01, max: 1, noNaN: true }), (list, share) => {
        const exact = list.toSorted((a, b) => a - b)[Math.ceil(share * list.length) - 1] ?? 0;
        const told = histogramOf(list).percentile(share);
        expect(told).toBeGreaterThanOrEqual(exact * 0.999);
        expect(told).toBeLessThanOrEqual(exact * 1.03);
      }),
    );
  });

  it("says nothing of nothing", () => {
    expect(new Histogram().summary()).toEqual({
      count: 0,
      mean: 0,
      p50: 0,
      p90: 0,
      p99: 0,
      max: 0,
    });
  });

  it("adds up to the histogram of both", () => {
    const [a, b] = [
      [1, 2, 3],
      [10, 20],
    ] as const;
    const sum = histogramOf(a);
    sum.add(histogramOf(b));
    expect(sum.summary()).toEqual(histogramOf([...a, ...b]).summary());
  });
});
