import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findTimeZone } from "../std/time-zone.ts";
import { parseSchedule } from "./cron-schedule.ts";

describe("parseSchedule", () => {
  it.each([
    ["* * * * *", "2026-01-01T00:00:30Z", "2026-01-01T00:01:00Z"],
    ["* * * * *", "2026-01-01T00:01:00Z", "2026-01-01T00:02:00Z"],
    ["*/15 * * * *", "2026-01-01T00:46:00Z", "2026-01-01T01:00:00Z"],
    ["5-10/5,30 8 * * *", "2026-01-01T08:06:00Z", "2026-01-01T08:10:00Z"],
    ["0 0 29 2 *", "2026-03-01T00:00:00Z", "2028-02-29T00:00:00Z"],
    ["0 9 * JAN MON-FRI", "2026-01-03T00:00:00Z", "2026-01-05T09:00:00Z"],
    // Day of month or of week, when both are given.
    ["0 0 13 * FRI", "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"],
    ["@hourly", "2026-01-01T00:00:00Z", "2026-01-01T01:00:00Z"],
    ["? * * * ?", "2026-01-01T00:00:30Z", "2026-01-01T00:01:00Z"],
    ["0 0 31 12 6", "2026-01-01T00:00:00Z", "2026-12-05T00:00:00Z"],
    ["@weekly", "2026-01-01T00:00:00Z", "2026-01-04T00:00:00Z"],
    ["@every 1h30m", "2026-01-01T00:00:00Z", "2026-01-01T01:30:00Z"],
  ])("%s after %s is %s", (text, after, next) => {
    expect(new Date(parseSchedule(text).next(Date.parse(after)) ?? 0).toISOString()).toBe(
      next.replace("Z", ".000Z"),
    );
  });

  it.each([
    ["* * * *", "expected exactly 5 fields, found 4: [* * * *]"],
    ["60 * * * *", "end of range (60) above maximum (59): 60"],
    ["* * 0 * *", "beginning of range (0) below minimum (1): 0"],
    ["5-2 * * * *", "beginning of range (5) beyond end of range (2): 5-2"],
    ["*/0 * * * *", "step of range should be a positive number: */0"],
    ["x * * * *", 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'],
    ["1-2-3 * * * *", "too many hyphens: 1-2-3"],
    ["1/2/3 * * * *", "too many slashes: 1/2/3"],
    ["@every x", 'failed to parse duration @every x: time: invalid duration "x"'],
    ["@never", "unrecognized descriptor: @never"],
    // Names that every object has.
    ["constructor", "expected exactly 5 fields, found 1: [constructor]"],
    ["__proto__", "expected exactly 5 fields, found 1: [__proto__]"],
  ])("refuses %s", (text, message) => {
    expect(() => parseSchedule(text)).toThrow(message);
  });

  it("never comes for a day that no month has", () => {
    expect(parseSchedule("0 0 31 2 *").next(0)).toBeUndefined();
  });

  it.each([
    ["Etc/GMT-2", "0 0 * * *", ["2026-01-01T22:00", "2026-01-02T22:00"]],
    // An hour less away from UTC in summer.
    ["America/New_York", "30 9 7,8,9 3 *", ["2026-03-07T14:30", "2026-03-08T13:30"]],
    ["Asia/Kolkata", "15 */12 * * *", ["2026-01-01T18:45", "2026-01-02T06:45"]],
    // 2:30 is skipped on 29 March, and comes twice on 25 October.
    ["Europe/Berlin", "30 2 28-31 3 *", ["2026-03-28T01:30", "2026-03-30T00:30"]],
    [
      "Europe/Berlin",
      "30 2 25,26 10 *",
      ["2026-10-25T00:30", "2026-10-25T01:30", "2026-10-26T01:30"],
    ],
    // Its clocks go from 24:00 to 1:00.
    ["Africa/Cairo", "0 0 24 4 *", ["2027-04-23T22:00"]],
    ["Africa/Cairo", "0 1 24 4 *", ["2026-04-23T22:00"]],
    // And here by half an hour, from 2:00 to 2:30.
    ["Australia/Lord_Howe", "15,45 2 4 10 *", ["2026-10-03T15:45", "2027-10-03T15:15"]],
  ])("in %s %s", (name, text, times) => {
    const schedule = parseSchedule(text, findTimeZone(name));
    let at = Date.parse("2026-01-01T12:00:00Z");
    const found = times.map(() => (at = schedule.next(at) ?? 0));
    expect(found.map((time) => new Date(time).toISOString().slice(0, 16))).toEqual(times);
  });

  it("skips nothing and goes forward only", () => {
    const minute = fc.integer({ min: 0, max: 59 });
    fc.assert(
      fc.property(minute, minute, fc.integer({ min: 0, max: 2 ** 40 }), (a, b, start) => {
        const schedule = parseSchedule(`${a},${b} * * * *`);
        const next = schedule.next(start);
        expect(next).toBeGreaterThan(start);
        expect(schedule.next((next ?? 0) - 1)).toBe(next);
        expect([a, b]).toContain(new Date(next ?? 0).getUTCMinutes());
      }),
    );
  });
});
