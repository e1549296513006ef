import { expect, test } from "vitest";
import { Turns } from "./turns.ts";

test("keeps the order of one key, also over failures, and forgets it at the end", async () => {
  const turns = new Turns();
  const log: string[] = [];
  const step = (key: string, name: string, fails = false) =>
    turns.take(key, async () => {
      log.push(`${name} begins`);
      await Promise.resolve();
      log.push(`${name} ends`);
      if (fails) throw new Error(name);
      return name;
    });
  const outcomes = await Promise.allSettled([
    step("a", "a1", true),
    step("a", "a2"),
    step("b", "b1"),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled"]);
  const ofA = log.filter((line) => line.startsWith("a"));
  expect(ofA).toEqual(["a1 begins", "a1 ends", "a2 begins", "a2 ends"]);
  expect(log.indexOf("b1 begins")).toBeLessThan(log.indexOf("a2 begins"));
  expect(turns.size).toBe(0);
});
