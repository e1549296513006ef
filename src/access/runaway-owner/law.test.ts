import { describe, expect, it } from "vitest";
import { budgetOf, probeWaitMs, retryAfterSeconds, runawayLawDefaults as law } from "./law.ts";

describe("the budget", () => {
  it.each([
    ["an owner of one pod", 1, 220],
    ["none waits now", 0, 220],
    ["a Job with parallelism 5,000", 5_000, 100_200],
    ["a Deployment of 10,000 pods", 10_000, 200_200],
  ])("of %s", (_, waitingMost, budget) => {
    expect(budgetOf(law, waitingMost)).toBe(budget);
  });
});

describe("waiting", () => {
  it("doubles from one second to five minutes", () => {
    const waits = Array.from({ length: 11 }, (_, probes) => probeWaitMs(law, probes) / 1_000);
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
    expect(probeWaitMs(law, 5_000)).toBe(300_000);
  });

  it.each([
    [0.5, 1],
    [1_000, 1],
    [1_001, 2],
    [9_999, 10],
    [300_000, 10],
  ])("%d ms is asked for as %d s", (ms, seconds) => {
    expect(retryAfterSeconds(law, ms)).toBe(seconds);
  });
});
