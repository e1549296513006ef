import { expect, test } from "vitest";
import { RetryAfter } from "./retry-after.ts";

/** What it says after so many refusals in each second. */
function course(perSecond: readonly number[]): number[] {
  const retryAfter = new RetryAfter();
  return perSecond.map((count, second) => {
    for (let i = 0; i < count; i++) retryAfter.refused((1_000 + second) * 1_000 + i);
    return retryAfter.seconds;
  });
}

test("it doubles while three times as many are refused as it has seconds, up to 32", () => {
  const seconds = course(Array.from({ length: 70 }, () => 200));
  expect([...new Set(seconds)]).toEqual([1, 2, 4, 8, 16, 32]);
  expect(seconds.at(-1)).toBe(32);
});

test("it does not double again before its own time has passed", () => {
  expect(course([9, 9, 9, 9, 9])).toEqual([1, 2, 2, 4, 4]);
});

test("it goes back one by one when few are refused", () => {
  const quiet = Array.from({ length: 10 }, () => 0);
  const seconds = course([9, 9, 9, 9, 9, ...quiet, 1, ...quiet, 1, ...quiet, 1, ...quiet, 1]);
  expect([...new Set(seconds)]).toEqual([1, 2, 4, 3]);
  expect([seconds[15], seconds[26], seconds[37], seconds[48]]).toEqual([3, 2, 1, 1]);
});
