import { expect, it } from "vitest";
import { RecentCharges } from "./recent-charges.ts";

it("waits until charges have settled, though not for ever", () => {
  const charges = new RecentCharges();
  expect(charges.restMs("a", 0)).toBe(0);
  charges.note("a", 0);
  expect(charges.restMs("a", 400)).toBe(600);
  expect(charges.restMs("b", 400)).toBe(0);
  for (let now = 500; now <= 4_900; now += 400) charges.note("a", now);
  expect(charges.restMs("a", 4_900)).toBe(100);
  expect(charges.restMs("a", 5_000)).toBe(0);
  charges.note("a", 9_000);
  expect(charges.restMs("a", 9_000)).toBe(1_000);
});
