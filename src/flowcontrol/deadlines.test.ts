import { expect, it } from "vitest";
import { createTestHost } from "../host/host.testbed.ts";
import { Deadlines } from "./deadlines.ts";

it("fires each deadline once, unless cancelled, over one timer", async () => {
  const host = createTestHost();
  const armed: number[] = [];
  const clock = {
    ...host.clock,
    after: (ms: number, fn: () => void) => {
      armed.push(ms);
      return host.clock.after(ms, fn);
    },
  };
  const deadlines = new Deadlines(clock);
  const fired: string[] = [];
  deadlines.enter(60_000, () => fired.push("a"));
  await host.advance(10_000);
  const cancel = deadlines.enter(60_000, () => fired.push("b"));
  deadlines.enter(60_000, () => fired.push("c"));
  deadlines.enter(5_000, () => fired.push("short"));
  cancel();
  await host.advance(5_000);
  await host.advance(45_000);
  expect(fired).toEqual(["short", "a"]);
  await host.advance(10_000);
  expect(fired).toEqual(["short", "a", "c"]);
  expect(armed).toEqual([60_000, 5_000, 10_000]);
});
