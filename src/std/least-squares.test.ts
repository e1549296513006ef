import { describe, expect, it } from "vitest";
import { pricesOf } from "./least-squares.ts";

describe("prices from bills", () => {
  it("are found exactly when the bills agree", () => {
    const bills = [
      { amounts: [1, 0, 2], total: 7 },
      { amounts: [0, 5, 1], total: 13 },
      { amounts: [3, 1, 0], total: 5 },
      { amounts: [10, 10, 10], total: 60 },
    ];
    const [a, b, c] = pricesOf(bills);
    expect(a).toBeCloseTo(1, 9);
    expect(b).toBeCloseTo(2, 9);
    expect(c).toBeCloseTo(3, 9);
  });

  it("lie between bills that do not", () => {
    const [price] = pricesOf([
      { amounts: [1], total: 1 },
      { amounts: [1], total: 1.2 },
    ]);
    expect(price).toBeGreaterThan(1);
    expect(price).toBeLessThan(1.2);
  });

  it("are never negative, and nothing for what nobody bought", () => {
    const bills = [
      { amounts: [10, 1, 0], total: 10 },
      { amounts: [10, 2, 0], total: 9.9 },
    ];
    const [first, second, third] = pricesOf(bills);
    expect(first).toBeCloseTo(1, 1);
    expect([second, third]).toEqual([0, 0]);
  });
});
