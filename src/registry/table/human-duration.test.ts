import { describe, expect, test } from "vitest";
import { ageOf, humanDuration } from "./human-duration.ts";

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

describe("humanDuration", () => {
  test.each([
    [-2 * second, "<invalid>"],
    [-1999, "0s"],
    [-1, "0s"],
    [0, "0s"],
    [1999, "1s"],
    [119 * second, "119s"],
    [2 * minute, "2m"],
    [2 * minute + 3 * second, "2m3s"],
    [9 * minute + 59 * second, "9m59s"],
    [10 * minute + 30 * second, "10m"],
    [3 * hour - second, "179m"],
    [3 * hour, "3h"],
    [3 * hour + 5 * minute, "3h5m"],
    [8 * hour + 59 * minute, "8h"],
    [47 * hour, "47h"],
    [2 * day, "2d"],
    [2 * day + 5 * hour, "2d5h"],
    [8 * day + 5 * hour, "8d"],
    [2 * year - day, "729d"],
    [2 * year, "2y"],
    [2 * year + 40 * day, "2y40d"],
    [8 * year + 40 * day, "8y"],
  ])("%d ms reads %s", (ms, text) => {
    expect(humanDuration(ms)).toBe(text);
  });
});

test("an unset time has an unknown age", () => {
  expect(ageOf(undefined, 0)).toBe("<unknown>");
  expect(ageOf(null, 0)).toBe("<unknown>");
  expect(ageOf("1970-01-01T00:00:00Z", 90 * second)).toBe("90s");
});
