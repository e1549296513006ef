import { expect, it } from "vitest";
import { RequestCost } from "./request-cost.ts";

it("counts the loop's time only between resume and suspend", () => {
  const cost = new RequestCost();
  cost.suspend(5);
  cost.resume(10);
  cost.suspend(13);
  cost.suspend(20);
  cost.resume(30);
  cost.suspend(31);
  expect(cost.cpuMs).toBe(4);
});
