import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Driver } from "../host/simulated/driver.ts";
import { simulate } from "../../test/simulation.ts";
import { Expectations, expectationsLapseMs } from "./expectations.ts";

function make(): { driver: Driver; expectations: Expectations } {
  const { host, driver } = simulate();
  return { driver, expectations: new Expectations(host.clock) };
}

describe("expectations", () => {
  it("hold until every create and delete was seen", () => {
    const { expectations } = make();
    expect(expectations.satisfied("a")).toBe(true);
    expectations.expect("a", { creations: 1, deletions: ["x", "y"] });
    expectations.deletionObserved("a", "x");
    expectations.deletionObserved("a", "x");
    expectations.creationObserved("a");
    expect(expectations.satisfied("a")).toBe(false);
    expectations.creationObserved("b");
    expectations.deletionObserved("a", "y");
    expect(expectations.satisfied("a")).toBe(true);
  });

  it("lapse after five minutes", async () => {
    const { driver, expectations } = make();
    expectations.expect("a", { creations: 2 });
    await driver.advance(expectationsLapseMs);
    expect(expectations.satisfied("a")).toBe(false);
    await driver.advance(1);
    expect(expectations.satisfied("a")).toBe(true);
  });

  it("end with their object", () => {
    const { expectations } = make();
    expectations.expect("a", { deletions: ["x"] });
    expectations.forget("a");
    expect(expectations.satisfied("a")).toBe(true);
  });

  it("are satisfied exactly when a naive count says so", () => {
    const step = fc.record({
      key: fc.constantFrom("a", "b"),
      do: fc.constantFrom("expect", "created", "deleted"),
      count: fc.nat(3),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { expectations } = make();
        const naive = new Map<string, { creations: number; deletions: string[] }>();
        for (const { key, do: what, count } of steps) {
          const uids = ["u0", "u1", "u2"].slice(0, count);
          if (what === "expect") {
            expectations.expect(key, { creations: count, deletions: uids });
            naive.set(key, { creations: count, deletions: uids });
          }
          const entry = naive.get(key);
          if (what === "created") {
            expectations.creationObserved(key);
            if (entry !== undefined) entry.creations--;
          }
          if (what === "deleted") {
            expectations.deletionObserved(key, `u${count}`);
            if (entry !== undefined)
              entry.deletions = entry.deletions.filter((uid) => uid !== `u${count}`);
          }
          const now = naive.get(key);
          const satisfied = now === undefined || (now.creations <= 0 && now.deletions.length === 0);
          expect(expectations.satisfied(key)).toBe(satisfied);
        }
      }),
    );
  });
});
