import { expect, it } from "vitest";
import { simulate } from "../../../test/simulation.ts";
import { Recorder } from "./recorder.ts";

it("reads levels and growth at every step", async () => {
  const { host, driver } = simulate();
  const recorder = new Recorder(host, 2_000);
  let total = 10;
  const again = (): void => {
    total += 3;
    host.clock.after(1_000, again);
  };
  host.clock.after(500, again);
  const gauge = { chart: "c", unit: "count", read: () => total } as const;
  recorder.watch({ ...gauge, name: "level", kind: "asIs" });
  recorder.watch({ ...gauge, name: "growth", kind: "growth" });
  recorder.start();
  await driver.advance(4_000);
  recorder.stop();
  await driver.advance(4_000);
  const [level, growth] = recorder.series();
  expect(level?.values).toEqual([10, 16, 22]);
  expect(growth?.values).toEqual([0, 3, 3]);
  expect(level?.stepMs).toBe(2_000);
});
