import { describe, expect, test } from "vitest";
import { labelsText, selectorOrNone, selectorText, someOf, truthText } from "./cell-text.ts";

describe("selectorText", () => {
  test("sorts requirements by key and values within", () => {
    expect(
      selectorText({
        matchLabels: { b: "2", a: "1" },
        matchExpressions: [
          { key: "tier", operator: "In", values: ["y", "x"] },
          { key: "c", operator: "NotIn", values: ["z"] },
          { key: "d", operator: "Exists" },
          { key: "aa", operator: "DoesNotExist" },
        ],
      }),
    ).toBe("a=1,!aa,b=2,c notin (z),d,tier in (x,y)");
  });

  test("says so when a selector is none", () => {
    expect(selectorText({ matchExpressions: [{ key: "a", operator: "Near" }] })).toBe("<error>");
  });

  test("an empty selector reads <none> only where it should", () => {
    expect(selectorText({})).toBe("");
    expect(selectorOrNone({})).toBe("<none>");
    expect(selectorOrNone(undefined)).toBe("<none>");
  });
});

test("lists show three and count the rest", () => {
  expect(someOf([], "<none>")).toBe("<none>");
  expect(someOf(["a", "b", "c"], "")).toBe("a,b,c");
  expect(someOf(["a", "b", "c", "d", "e"], "")).toBe("a,b,c + 2 more...");
});

test("labels and truths", () => {
  expect(labelsText({ b: "2", a: "1" })).toBe("a=1,b=2");
  expect(labelsText(undefined)).toBe("<none>");
  expect([true, false, undefined].map(truthText)).toEqual(["True", "False", "<unset>"]);
});
