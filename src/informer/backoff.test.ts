import { expect, it } from "vitest";
import { simulate } from "../../test/simulation.ts";
import { Backoff } from "./backoff.ts";
import { clientGoProfile } from "./reflector-profile.ts";

it("grows, is capped, and starts over after two quiet minutes", async () => {
  const { host, driver } = simulate();
  const law = { ...clientGoProfile.backoff, jitter: 0 };
  const backoff = new Backoff(host.clock, host.random.stream("test"), law);
  const delays = (count: number): number[] => Array.from({ length: count }, () => backoff.next());
  expect(delays(8)).toEqual([800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000]);
  await driver.advance(120_000);
  expect(delays(1)).toEqual([30_000]);
  await driver.advance(120_001);
  expect(delays(2)).toEqual([800, 1_600]);
});
