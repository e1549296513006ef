import { describe, expect, it } from "vitest";
import { collected, commaList, duration, jsonOnly, wholeNumber } from "./argument.ts";

describe("an option's text", () => {
  it.each([
    ["0", 0],
    ["65535", 65_535],
  ])("%j is the whole number %d", (text, value) => {
    expect(wholeNumber(0, 65_535)(text)).toBe(value);
  });

  it.each(["", " ", "-1", "65536", "1.5", "many", "NaN"])("%j is none from 0 to 65535", (text) => {
    expect(() => wholeNumber(0, 65_535)(text)).toThrow("it is a whole number from 0 to 65535.");
  });

  it("may have no upper bound but exactness", () => {
    expect(wholeNumber(1)("9007199254740991")).toBe(9_007_199_254_740_991);
    expect(() => wholeNumber(1)("9007199254740992")).toThrow("it is a whole number from 1.");
  });

  it.each([
    ["90", 90_000],
    ["500ms", 500],
    ["1.5s", 1_500],
    ["5m", 300_000],
    ["1h", 3_600_000],
  ])("%j is %d ms", (text, ms) => {
    expect(duration(text)).toBe(ms);
  });

  it.each(["", "0", "0s", "-1", "5d", "m"])("%j is no time", (text) => {
    expect(() => duration(text)).toThrow("a time is a number of seconds, or 90s, 5m, 1h.");
  });

  it("is a list, grows, and names a format", () => {
    expect(commaList("a, b")).toEqual(["a", "b"]);
    expect(() => commaList("a,,b")).toThrow("an item is empty.");
    expect(collected("b", ["a"])).toEqual(["a", "b"]);
    expect(jsonOnly("json")).toBe("json");
    expect(() => jsonOnly("yaml")).toThrow("the one format is json.");
  });
});
