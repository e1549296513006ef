import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { simulate } from "../../../test/simulation.ts";
import { KilledError, Processor } from "./processor.ts";

function processorOf(cores: number) {
  const { host, driver } = simulate();
  const processor = new Processor(host.clock, cores);
  const endings: string[] = [];
  const run = (name: string, ms: number): void => {
    const tell = (how: string): void =>
      void endings.push(`${name} ${how} ${Math.round(host.clock.monotonic())}`);
    processor.run(name, ms).then(
      () => tell("done"),
      (error: unknown) => tell(error instanceof KilledError ? "killed" : "failed"),
    );
  };
  return { processor, driver, endings, run };
}

describe("processor sharing", () => {
  it("gives a job a core when there is one, and a share when there is not", async () => {
    const { driver, endings, run, processor } = processorOf(2);
    run("a", 100);
    run("b", 100);
    await driver.advance(50);
    run("c", 100);
    run("d", 50);
    await driver.advance(1_000);
    // From 50 on four jobs share two cores: a, b and d need 50 more each, at half speed.
    expect(endings.slice(0, 3).toSorted()).toEqual(["a done 150", "b done 150", "d done 150"]);
    expect(endings.slice(3)).toEqual(["c done 200"]);
    expect(processor.busyMs).toBeCloseTo(350, 6);
  });

  it("drops what belongs to the dead and speeds up the others", async () => {
    const { driver, endings, run, processor } = processorOf(1);
    run("a", 100);
    run("b", 100);
    await driver.advance(100);
    processor.drop("a");
    await driver.advance(1_000);
    expect(endings).toEqual(["a killed 100", "b done 150"]);
    expect(processor.running).toBe(0);
  });

  it("never works faster than its cores, and loses no work", async () => {
    const jobs = fc.array(fc.record({ at: fc.nat(200), ms: fc.integer({ min: 1, max: 80 }) }), {
      maxLength: 30,
    });
    await fc.assert(
      fc.asyncProperty(jobs, fc.integer({ min: 1, max: 4 }), async (list, cores) => {
        const { host, driver } = simulate();
        const processor = new Processor(host.clock, cores);
        const ended: number[] = [];
        for (const { at, ms } of list)
          host.clock.after(at, () => {
            void processor.run("x", ms).then(() => {
              ended.push(host.clock.monotonic() - at);
              expect(host.clock.monotonic() - at).toBeGreaterThanOrEqual(ms - 1e-6);
            });
          });
        await driver.advance(100_000);
        expect(ended).toHaveLength(list.length);
        const work = list.reduce((sum, { ms }) => sum + ms, 0);
        expect(processor.busyMs).toBeCloseTo(work, 3);
      }),
    );
  });
});
