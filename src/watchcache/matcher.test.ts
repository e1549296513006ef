import { expect, test } from "vitest";
import { Matcher } from "./matcher.ts";
import { podLayout, select } from "./watch-cache.testbed.ts";

test.each([
  [0, 2_000],
  [1, 2_000],
  [10, 200],
  [9_000, 1],
])("with %i terms a turn is for %i objects", (terms, objects) => {
  const labels = Array.from({ length: terms }, (_, index) => `!k${index}`).join(",");
  expect(new Matcher(podLayout, select("", labels)).objectsPerMs).toBe(objects);
});
