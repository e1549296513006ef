import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseSchedule, zoneOffsetMs } from "./schedule.ts";

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
    ["x * * * *", "failed to parse int from x"],
    ["@never", "unrecognized descriptor: @never"],
  ])("refuses %s", (text, message) => {
    expect(() => parseSchedule(text)).toThrow(message);
  });

  it("never comes for a day that no month has", () => {
    expect(parseSchedule("0 0 31 2 *").next(0)).toBeUndefined();
  });

  it("follows the offset of a fixed zone", () => {
    const offset = zoneOffsetMs("Etc/GMT-2") ?? 0;
    const next = parseSchedule("0 0 * * *", offset).next(Date.parse("2026-01-01T12:00:00Z"));
    expect(new Date(next ?? 0).toISOString()).toBe("2026-01-01T22:00:00.000Z");
    expect(zoneOffsetMs("Europe/Berlin")).toBeUndefined();
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
