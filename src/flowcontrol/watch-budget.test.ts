import { array, assert, boolean, constantFrom, property, record } from "fast-check";
import { describe, expect, it } from "vitest";
import { WatchBudget, type WatchLimits, type WatchPlace } from "./watch-budget.ts";

const unlimited: WatchLimits = {
  watchesMax: 0,
  watchesPerUserMax: 0,
  startsPerSecond: 0,
  startsBurst: 0,
};

function outcome(place: WatchPlace): string {
  return place.kind === "Open" ? "open" : `${place.by} ${place.retryAfterSeconds}`;
}

describe("WatchBudget", () => {
  it.each<[string, Partial<WatchLimits>, readonly string[], readonly string[]]>([
    ["nothing", {}, ["a", "a", "b"], ["open", "open", "open"]],
    ["all", { watchesMax: 2 }, ["a", "b", "c"], ["open", "open", "total 10"]],
    ["a user", { watchesPerUserMax: 1 }, ["a", "a", "b"], ["open", "user 10", "open"]],
    [
      "starts",
      { startsPerSecond: 0.5, startsBurst: 1 },
      ["a", "a", "b"],
      ["open", "rate 2", "open"],
    ],
  ])("limits %s", (_, limits, users, outcomes) => {
    const budget = new WatchBudget({ ...unlimited, ...limits });
    expect(users.map((user) => outcome(budget.enter(user, 0)))).toEqual(outcomes);
  });

  it("refills the burst with time, and no further", () => {
    const budget = new WatchBudget({ ...unlimited, startsPerSecond: 1, startsBurst: 2 });
    const at = (ms: number): string => outcome(budget.enter("a", ms));
    expect([at(0), at(0), at(0), at(1_000), at(1_000)]).toEqual([
      "open",
      "open",
      "rate 1",
      "open",
      "rate 1",
    ]);
    expect([at(60_000), at(60_000), at(60_000)]).toEqual(["open", "open", "rate 1"]);
  });

  it("gives a place back once, however often it is left", () => {
    const budget = new WatchBudget({ ...unlimited, watchesPerUserMax: 1 });
    const place = budget.enter("a", 0);
    if (place.kind === "Refused") throw new Error("refused");
    place.leave();
    place.leave();
    expect([outcome(budget.enter("a", 0)), outcome(budget.enter("a", 0))]).toEqual([
      "open",
      "user 10",
    ]);
    expect([budget.open, budget.refused.user]).toEqual([1, 1]);
  });

  it("never has more open than its limits say", () => {
    const step = record({ user: constantFrom("a", "b", "c"), leaves: boolean() });
    assert(
      property(array(step, { maxLength: 100 }), (steps) => {
        const budget = new WatchBudget({ ...unlimited, watchesMax: 5, watchesPerUserMax: 3 });
        const open: { user: string; leave: () => void }[] = [];
        for (const { user, leaves } of steps) {
          if (leaves) open.shift()?.leave();
          else {
            const place = budget.enter(user, 0);
            if (place.kind === "Open") open.push({ user, leave: place.leave });
          }
          expect(budget.open).toBe(open.length);
          expect(open.length).toBeLessThanOrEqual(5);
          expect(open.filter((each) => each.user === user).length).toBeLessThanOrEqual(3);
        }
      }),
    );
  });
});
