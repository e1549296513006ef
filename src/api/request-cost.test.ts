import { expect, it } from "vitest";
import { LoopMeter, RequestCost } from "./request-cost.ts";

it("counts the loop's time only between resume and suspend", () => {
  const cost = new RequestCost(new LoopMeter());
  cost.suspend(5);
  cost.resume(10);
  cost.suspend(13);
  cost.suspend(20);
  cost.resume(30);
  cost.suspend(31);
  expect(cost.cpuMs).toBe(4);
});

it("gives no moment to two requests", () => {
  const meter = new LoopMeter();
  const [one, other] = [new RequestCost(meter), new RequestCost(meter)];
  one.resume(10);
  other.resume(12);
  one.suspend(15);
  other.suspend(17);
  one.suspend(20);
  expect([one.cpuMs, other.cpuMs]).toEqual([2, 5]);
});
