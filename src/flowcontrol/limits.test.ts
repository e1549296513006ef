import * as fc from "fast-check";
import { expect, test } from "vitest";
import { priorityLevels } from "../api/flow-control-objects.ts";
import type { PriorityLevelConfigurationSpec } from "../api/types/flowcontrol-v1.ts";
import { allocate } from "./concurrency-allocation.ts";
import { type LevelDemand, adjust, limitsOf, seatsMaxOf, sharesOf } from "./limits.ts";

const specs = (minor: number): ReadonlyMap<string, PriorityLevelConfigurationSpec> =>
  new Map(
    priorityLevels(minor).map(({ metadata, spec }) => [
      metadata.name ?? "",
      spec as PriorityLevelConfigurationSpec,
    ]),
  );

const sharesSum = (minor: number): number =>
  [...specs(minor).values()].reduce((sum, spec) => sum + sharesOf(spec), 0);

test.each([
  [20, 205],
  [22, 245],
  [36, 245],
])("at 1.%i the shares sum to %i", (minor, sum) => expect(sharesSum(minor)).toBe(sum));

test.each<[string, number, number, number]>([
  ["exempt", 0, 0, 0],
  ["catch-all", 13, 13, 0],
  ["system", 74, 50, 12],
  ["node-high", 98, 73, 15],
  ["leader-election", 25, 25, 4],
  ["workload-high", 98, 49, 15],
  ["workload-low", 245, 24, 37],
  ["global-default", 49, 24, 8],
])("%s of 600 seats: %i, %i of them never lent; requests up to %i", (name, nominal, lower, max) => {
  const spec = specs(36).get(name)!;
  const limits = limitsOf(spec, { seats: 600, shares: 245 });
  expect([limits.nominal, limits.lower]).toEqual([nominal, lower]);
  expect(limits.upper).toBe(nominal + 600);
  expect(seatsMaxOf(spec, nominal)).toBe(max);
});

test("a borrowing limit is a part of the nominal seats", () => {
  const limited = { nominalConcurrencyShares: 5, borrowingLimitPercent: 50 };
  const spec = { type: "Limited", limited };
  expect(limitsOf(spec, { seats: 600, shares: 250 })).toEqual({
    nominal: 12,
    lower: 12,
    upper: 18,
  });
});

const level = (change: Partial<LevelDemand> & { nominal: number; lower: number }): LevelDemand => {
  const { nominal, lower, ...rest } = change;
  const limits = { nominal, lower, upper: nominal + 600 };
  return { limits, isExempt: false, highWatermark: 0, smoothed: 0, current: nominal, ...rest };
};

const currents = (levels: readonly LevelDemand[]): number[] =>
  adjust(levels).levels.map(({ current }) => current);

test("without demand seats go by what is never lent", () => {
  expect(currents([level({ nominal: 50, lower: 50 }), level({ nominal: 50, lower: 0 })])).toEqual([
    100, 0,
  ]);
});

test("a busy level borrows from an idle one, and gives back what that one needs", () => {
  const busy = { nominal: 50, lower: 25, highWatermark: 300, smoothed: 300 };
  expect(currents([level(busy), level({ nominal: 50, lower: 10 })])).toEqual([90, 10]);
  const awake = { nominal: 50, lower: 10, highWatermark: 40, smoothed: 40 };
  expect(currents([level(busy), level(awake)])).toEqual([60, 40]);
});

test("the exempt take what they use from the others", () => {
  const exempt = level({ nominal: 0, lower: 0, isExempt: true, highWatermark: 30 });
  const low = level({ nominal: 40, lower: 10, highWatermark: 40, smoothed: 40 });
  expect(currents([exempt, low])).toEqual([30, 10]);
  const half = { ...exempt, highWatermark: 15 };
  expect(currents([half, low])).toEqual([15, 25]);
});

test("an allocation sums to what there is, within the bounds, in one proportion", () => {
  const claim = fc.tuple(fc.nat(50), fc.nat(100), fc.nat(200)).map(([lower, more, evenMore]) => ({
    lower,
    target: lower + more,
    upper: lower + evenMore,
  }));
  fc.assert(
    fc.property(fc.array(claim, { minLength: 1, maxLength: 8 }), fc.nat(1_000), (claims, part) => {
      const lower = claims.reduce((sum, one) => sum + one.lower, 0);
      const upper = claims.reduce((sum, one) => sum + one.upper, 0);
      const sum = lower + ((upper - lower) * part) / 1_000;
      const allocation = allocate(sum, claims);
      const seats = allocation?.seats ?? [];
      expect(seats.reduce((total, one) => total + one, 0)).toBeCloseTo(sum, 3);
      claims.forEach((one, i) => {
        const wanted = (allocation?.proportion ?? 0) * Math.max(one.target, 0.001);
        const fair = Math.max(one.lower, Math.min(one.upper, wanted));
        expect(seats[i]).toBeCloseTo(fair, 6);
      });
    }),
  );
});

test("no allocation where the bounds leave none", () => {
  expect(allocate(5, [{ target: 10, lower: 10, upper: 20 }])).toBeUndefined();
  expect(allocate(50, [{ target: 10, lower: 10, upper: 20 }])).toBeUndefined();
});
