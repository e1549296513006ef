import { describe, expect, it } from "vitest";
import { type Steps, stepAt } from "./steps.ts";

const steps: Steps<string> = [
  [16, "a"],
  [22, "b"],
  [25, "c"],
];

describe("stepAt", () => {
  it.each([
    [15, "a"],
    [16, "a"],
    [21, "a"],
    [22, "b"],
    [24, "b"],
    [25, "c"],
    [99, "c"],
  ])("at %i it is %s", (at, value) => {
    expect(stepAt(steps, at)).toBe(value);
  });
});
