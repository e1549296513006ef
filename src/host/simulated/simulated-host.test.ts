import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hostContract } from "../host.contract.ts";
import { simulate } from "../../../test/simulation.ts";
import { AlarmError } from "./driver.ts";

hostContract("simulated", () => {
  const { host, driver } = simulate();
  return { host, pass: (ms) => driver.advance(ms) };
});

describe("simulated time", () => {
  it("jumps from timer to timer", async () => {
    const { host, driver } = simulate();
    const at: number[] = [];
    const hour = 3_600_000;
    const again = (left: number): void => {
      at.push(host.clock.monotonic());
      if (left > 0) host.clock.after(hour, () => again(left - 1));
    };
    again(2);
    await driver.advance(3 * hour);
    expect(at).toEqual([0, hour, 2 * hour]);
    expect(host.clock.monotonic()).toBe(3 * hour);
    expect(new Date(host.clock.now()).toISOString()).toBe("2026-01-01T03:00:00.000Z");
  });

  it("fires timers by time, whatever the order they were set in", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(50), { maxLength: 60 }), async (delays) => {
        const { host, driver } = simulate();
        const fired: number[] = [];
        const cancelled = delays.map((ms, index) => {
          const cancel = host.clock.after(ms, () => fired.push(ms));
          if (index % 3 === 0) cancel();
          return index % 3 === 0;
        });
        await driver.advance(50);
        const kept = delays.filter((_, index) => !cancelled[index]);
        expect(fired).toEqual(kept.toSorted((a, b) => a - b));
      }),
    );
  });

  const tied = async (seed: number): Promise<string> => {
    const { host, driver } = simulate(seed);
    let order = "";
    for (const name of "abcdefgh") host.clock.after(10, () => (order += name));
    await driver.advance(10);
    return order;
  };

  it("breaks ties by the seed", async () => {
    const orders = await Promise.all([1, 1, 2, 3].map(tied));
    expect(orders[0]).toBe(orders[1]);
    expect(new Set(orders).size).toBe(3);
  });

  it("says when nothing can happen any more, and when it takes too long", async () => {
    const { host, driver } = simulate();
    await expect(driver.run(new Promise(() => undefined), 1_000)).rejects.toThrow(AlarmError);
    const again = (): void => void host.clock.after(100, again);
    again();
    await expect(driver.until(() => false, 1_000)).rejects.toThrow("within 1000 ms");
    expect(await driver.run(Promise.resolve(5), 0)).toBe(5);
  });
});

describe("simulated chance", () => {
  it("keeps streams apart", () => {
    const draws = (seed: number, name: string, before: number): number[] => {
      const { host } = simulate(seed);
      const other = host.random.stream("other");
      for (let i = 0; i < before; i++) other.unit();
      const stream = host.random.stream(name);
      return Array.from({ length: 5 }, () => stream.below(1_000_000));
    };
    expect(draws(1, "a", 0)).toEqual(draws(1, "a", 9));
    expect(draws(1, "a", 0)).not.toEqual(draws(1, "b", 0));
    expect(draws(1, "a", 0)).not.toEqual(draws(2, "a", 0));
    expect(draws(1, "a", 0)).not.toEqual(draws(1 + 2 ** 32, "a", 0));
  });
});

it("keeps what was logged, and folds it into the trace", () => {
  const [one, two] = [simulate().host, simulate().host];
  one.log.warn("hello", { n: 1 });
  two.log.warn("hello", { n: 1 });
  expect(one.lines).toEqual([
    { atMs: one.clock.now(), level: "warn", message: "hello", fields: { n: 1 } },
  ]);
  expect(one.trace()).toBe(two.trace());
  two.log.info("more");
  expect(one.trace()).not.toBe(two.trace());
});
