import { expect, it } from "vitest";
import { groupBy } from "./group-by.ts";

it("keeps the order of groups and of their items", () => {
  const groups = groupBy(["b1", "a1", "b2", "c1", "a2"], (item) => item[0]);
  expect([...groups]).toEqual([
    ["b", ["b1", "b2"]],
    ["a", ["a1", "a2"]],
    ["c", ["c1"]],
  ]);
});
