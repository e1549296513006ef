import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Driver } from "../host/simulated/driver.ts";
import { simulate } from "../../test/simulation.ts";
import { RateLimiter } from "./rate-limiter.ts";

function make(qps: number, burst: number): { driver: Driver; limiter: RateLimiter } {
  const { host, driver } = simulate();
  return { driver, limiter: new RateLimiter(host.clock, { qps, burst }) };
}

describe("a rate limiter", () => {
  it("lets a burst through and then one by one, in order", async () => {
    const { driver, limiter } = make(5, 10);
    const done: number[] = [];
    for (let i = 0; i < 13; i++) void limiter.wait().then(() => done.push(i));
    await driver.advance(0);
    expect(done).toHaveLength(10);
    await driver.advance(599);
    expect(done).toHaveLength(12);
    await driver.advance(1);
    expect(done).toEqual(Array.from({ length: 13 }, (_, index) => index));
  });

  it("fills up to its burst only", async () => {
    const { driver, limiter } = make(1, 2);
    await driver.advance(60_000);
    expect([1, 2, 3].map(() => limiter.tryAccept())).toEqual([true, true, false]);
    await driver.advance(1_000);
    expect(limiter.tryAccept()).toBe(true);
  });

  it("gives up a wait", async () => {
    const { driver, limiter } = make(1, 1);
    limiter.reserve();
    const controller = new AbortController();
    const waiting = limiter.wait(controller.signal);
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ name: "AbortedError" });
    await driver.advance(5_000);
  });

  it("never lets more through than burst and rate allow", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(400), { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 10 }),
        async (gaps, qps, burst) => {
          const { driver, limiter } = make(qps, burst);
          let [passed, elapsed] = [0, 0];
          for (const gap of gaps) {
            void limiter.wait().then(() => passed++);
            await driver.advance(gap);
            elapsed += gap;
            expect(passed).toBeLessThanOrEqual(burst + (elapsed / 1_000) * qps + 1e-6);
          }
          await driver.advance((gaps.length / qps) * 1_000 + 1);
          expect(passed).toBe(gaps.length);
        },
      ),
      { numRuns: 40 },
    );
  });
});
