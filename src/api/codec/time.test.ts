import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  formatDuration,
  formatMicroTime,
  formatTime,
  normalizeMicroTime,
  normalizeTime,
  parseDuration,
  parseMicroTime,
  parseTime,
} from "./time.ts";

describe("Time", () => {
  test.each([
    ["2024-05-06T07:08:09Z", "2024-05-06T07:08:09Z"],
    ["2024-02-29T00:00:00Z", "2024-02-29T00:00:00Z"],
    ["2024-05-06T07:08:09+02:00", "2024-05-06T05:08:09Z"],
    ["2024-01-01T00:30:00+01:00", "2023-12-31T23:30:00Z"],
    ["2024-05-06T07:08:09.987654321Z", "2024-05-06T07:08:09Z"],
    ["0001-01-01T00:00:00Z", null],
    ["0001-01-01T00:00:01Z", "0001-01-01T00:00:01Z"],
    ["9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z"],
  ])("%s -> %s", (text, normal) => {
    expect(normalizeTime(text)).toBe(normal);
  });

  const layout = '"2006-01-02T15:04:05Z07:00"';
  test.each([
    ["foo", `parsing time "foo" as ${layout}: cannot parse "foo" as "2006"`],
    ["", `parsing time "" as ${layout}: cannot parse "" as "2006"`],
    ["2024-05-06", `parsing time "2024-05-06" as ${layout}: cannot parse "" as "T"`],
    [
      "2024-05-06 07:08:09Z",
      `parsing time "2024-05-06 07:08:09Z" as ${layout}: cannot parse " 07:08:09Z" as "T"`,
    ],
    [
      "2024-05-06T07:08:09",
      `parsing time "2024-05-06T07:08:09" as ${layout}: cannot parse "" as "Z07:00"`,
    ],
    ["2024-05-06T07:08:09Zx", 'parsing time "2024-05-06T07:08:09Zx": extra text: "x"'],
    ["2024-13-06T07:08:09Z", 'parsing time "2024-13-06T07:08:09Z": month out of range'],
    ["2023-02-29T07:08:09Z", 'parsing time "2023-02-29T07:08:09Z": day out of range'],
    ["2024-05-06T24:08:09Z", 'parsing time "2024-05-06T24:08:09Z": hour out of range'],
    ["2024-05-06T23:60:09Z", 'parsing time "2024-05-06T23:60:09Z": minute out of range'],
    ["2024-05-06T23:00:60Z", 'parsing time "2024-05-06T23:00:60Z": second out of range'],
  ])("%j is refused", (text, message) => {
    expect(() => normalizeTime(text)).toThrow(message);
  });

  test("agrees with Date", () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date(0), max: new Date("9999-01-01"), noInvalidDate: true }),
        (date) => {
          const iso = date.toISOString();
          const seconds = Math.floor(date.getTime() / 1000);
          expect(parseTime(iso)).toEqual({ seconds, nanos: 0 });
          expect(formatTime({ seconds, nanos: 0 })).toBe(`${iso.slice(0, 19)}Z`);
        },
      ),
    );
  });
});

describe("MicroTime", () => {
  test("has six decimals", () => {
    expect(normalizeMicroTime("2024-05-06T07:08:09.000123Z")).toBe("2024-05-06T07:08:09.000123Z");
    expect(normalizeMicroTime("2024-05-06T07:08:09.120000+01:00")).toBe(
      "2024-05-06T06:08:09.120000Z",
    );
    expect(parseMicroTime("1970-01-01T00:00:01.000002Z")).toEqual({ seconds: 1, nanos: 2_000 });
    expect(formatMicroTime({ seconds: 1, nanos: 2_999 })).toBe("1970-01-01T00:00:01.000002Z");
  });

  test.each(["2024-05-06T07:08:09Z", "2024-05-06T07:08:09.123Z", "2024-05-06T07:08:09.1234567Z"])(
    "%s is refused",
    (text) => {
      expect(() => normalizeMicroTime(text)).toThrow("cannot parse");
    },
  );
});

describe("Duration", () => {
  test.each([
    ["0", "0s"],
    ["1m0s", "1m0s"],
    ["90s", "1m30s"],
    ["1h", "1h0m0s"],
    ["1.5h", "1h30m0s"],
    ["-1m30.5s", "-1m30.5s"],
    ["1500ms", "1.5s"],
    ["1500us", "1.5ms"],
    ["15ns", "15ns"],
    ["100h", "100h0m0s"],
  ])("%s is %s", (text, printed) => {
    expect(formatDuration(parseDuration(text))).toBe(printed);
  });

  test.each([
    ["", 'time: invalid duration ""'],
    ["x", 'time: invalid duration "x"'],
    ["5", 'time: missing unit in duration "5"'],
    ["5d", 'time: unknown unit "d" in duration "5d"'],
    ["1s x", 'time: unknown unit "s x" in duration "1s x"'],
  ])("%j is refused", (text, message) => {
    expect(() => parseDuration(text)).toThrow(message);
  });
});
