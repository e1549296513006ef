import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SimulatedHost } from "../host/simulated/simulated-host.ts";
import { type Simulation, simulate } from "../../test/simulation.ts";
import { WorkQueue, retryUsual } from "./work-queue.ts";

function make(): Simulation & { queue: WorkQueue } {
  const { host, driver } = simulate();
  return { host, driver, queue: new WorkQueue(host.clock, retryUsual) };
}

/** Works through the queue at once and says when each key was taken, in ms. */
function takeAll(host: SimulatedHost, queue: WorkQueue): [string, number][] {
  const taken: [string, number][] = [];
  const work = async (): Promise<void> => {
    for (let key = await queue.take(); key !== undefined; key = await queue.take()) {
      taken.push([key, Math.round(host.clock.monotonic())]);
      queue.done(key);
    }
  };
  void work();
  return taken;
}

describe("a work queue", () => {
  it("holds a key once, in the order of first adds", async () => {
    const { queue } = make();
    for (const key of ["b", "a", "b", "c", "a"]) queue.add(key);
    expect(queue.length).toBe(3);
    expect([await queue.take(), await queue.take(), await queue.take()]).toEqual(["b", "a", "c"]);
  });

  it("gives a key back only when it is done, once however often it was added", async () => {
    const { driver, queue } = make();
    queue.add("a");
    await queue.take();
    queue.add("a");
    queue.add("a");
    expect(queue.length).toBe(0);
    const again = queue.take();
    await driver.settle();
    queue.done("a");
    expect(await again).toBe("a");
    queue.done("a");
    expect(queue.length).toBe(0);
  });

  it("doubles a failing key's delay and starts over when it is forgotten", async () => {
    const { host, driver, queue } = make();
    const taken = takeAll(host, queue);
    for (let i = 0; i < 4; i++) {
      queue.addRateLimited("a");
      await driver.advance(1_000);
    }
    expect(taken.map(([, at], index) => at - index * 1_000)).toEqual([5, 10, 20, 40]);
    expect(queue.requeues("a")).toBe(4);
    queue.forget("a");
    expect(queue.requeues("a")).toBe(0);
    queue.addRateLimited("a");
    await driver.advance(1_000);
    expect(taken.at(-1)).toEqual(["a", 4_005]);
  });

  it("waits at most 1000 s", async () => {
    const { host, driver, queue } = make();
    const taken = takeAll(host, queue);
    for (let i = 0; i < 40; i++) {
      queue.addRateLimited("a");
      await driver.advance(1_000_000);
    }
    expect(taken.at(-1)?.[1]).toBe(40_000_000);
  });

  it("lets all failing keys together through at 10 a second after 100", async () => {
    const { host, driver, queue } = make();
    const taken = takeAll(host, queue);
    for (let i = 0; i < 150; i++) queue.addRateLimited(`k${i}`);
    await driver.advance(10_000);
    expect(taken.filter(([, at]) => at <= 5)).toHaveLength(100);
    expect(taken.at(-1)).toEqual(["k149", 5_000]);
  });

  it("keeps the earliest of several delays", async () => {
    const { host, driver, queue } = make();
    const taken = takeAll(host, queue);
    queue.addAfter("a", 500);
    queue.addAfter("a", 100);
    queue.addAfter("a", 300);
    await driver.advance(1_000);
    expect(taken).toEqual([["a", 100]]);
  });

  it("ends", async () => {
    const { driver, queue } = make();
    const waiting = queue.take();
    queue.addAfter("later", 10);
    queue.shutDown();
    expect(await waiting).toBeUndefined();
    queue.add("a");
    await driver.advance(100);
    expect(queue.length).toBe(0);
    expect(await queue.take()).toBeUndefined();
  });

  it("loses no key, doubles none and never works on one twice at once", async () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant("add" as const), key: fc.nat(4), ms: fc.nat(30) }),
      fc.record({ do: fc.constant("after" as const), key: fc.nat(4), ms: fc.nat(30) }),
      fc.record({ do: fc.constant("limited" as const), key: fc.nat(4), ms: fc.nat(30) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.nat(20), async (steps, workMs) => {
        const { host, driver, queue } = make();
        const working = new Set<string>();
        /** Keys that were added and not taken since. */
        const owed = new Set<string>();
        let taken = 0;
        const work = async (): Promise<void> => {
          for (let key = await queue.take(); key !== undefined; key = await queue.take()) {
            expect(working.has(key)).toBe(false);
            working.add(key);
            owed.delete(key);
            taken++;
            await new Promise<void>((resolve) => host.clock.after(workMs, resolve));
            working.delete(key);
            queue.done(key);
          }
        };
        for (let i = 0; i < 3; i++) void work();
        for (const { do: what, key, ms } of steps) {
          const name = `k${key}`;
          owed.add(name);
          if (what === "add") queue.add(name);
          if (what === "after") queue.addAfter(name, ms);
          if (what === "limited") queue.addRateLimited(name);
          await driver.advance(ms);
        }
        await driver.advance(1_000_000);
        expect([...owed]).toEqual([]);
        expect(taken).toBeLessThanOrEqual(steps.length);
        expect([queue.length, working.size]).toEqual([0, 0]);
      }),
      { numRuns: 60 },
    );
  });
});
