// Cron schedules of five fields and the @words, by the clocks of a time zone (upstream: robfig/cron v3, ParseStandard and
// SpecSchedule.Next): a time that summer time skips does not come that day, one that comes twice is met twice. Pure.
import { messageOf } from "../std/error-message.ts";
import { parseDuration } from "./codec/time.ts";
import { type TimeZone, instantOf, utc } from "../std/time-zone.ts";

export interface Schedule {
  /** The first time after `time`, epoch ms; undefined: not within five years. */
  next(time: number): number | undefined;
}

interface Field {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  readonly names: readonly string[];
}

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const days = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const fields: readonly Field[] = [
  { name: "minute", min: 0, max: 59, names: [] },
  { name: "hour", min: 0, max: 23, names: [] },
  { name: "day of month", min: 1, max: 31, names: [] },
  { name: "month", min: 1, max: 12, names: months },
  { name: "day of week", min: 0, max: 6, names: days },
];

const words: ReadonlyMap<string, string> = new Map([
  ["@yearly", "0 0 1 1 *"],
  ["@annually", "0 0 1 1 *"],
  ["@monthly", "0 0 1 * *"],
  ["@weekly", "0 0 * * 0"],
  ["@daily", "0 0 * * *"],
  ["@midnight", "0 0 * * *"],
  ["@hourly", "0 * * * *"],
]);

const minuteMs = 60_000;
const hourMs = 3_600_000;
const dayMs = 86_400_000;
const yearsMax = 5;

/** What is wrong with a schedule. */
export class ScheduleError extends Error {
  override readonly name = "ScheduleError";
}

/** Throws ScheduleError. */
export function parseSchedule(text: string, zone: TimeZone = utc): Schedule {
  const every = /^@every\s+(.+)$/.exec(text);
  if (every !== null) return everySchedule(every[1]!);
  if (text.startsWith("@") && !words.has(text))
    throw new ScheduleError(`unrecognized descriptor: ${text}`);
  const parts = (words.get(text) ?? text).split(/\s+/).filter((part) => part !== "");
  if (parts.length !== fields.length)
    throw new ScheduleError(
      `expected exactly 5 fields, found ${parts.length}: [${parts.join(" ")}]`,
    );
  const sets = parts.map((part, at) => parseField(part, fields[at]!));
  return calendarSchedule(sets, zone);
}

function everySchedule(text: string): Schedule {
  const ms = Math.max(1_000, Math.floor(Number(durationOf(text)) / 1e9) * 1_000);
  return { next: (time) => Math.floor(time / 1_000) * 1_000 + ms };
}

function durationOf(text: string): bigint {
  try {
    return parseDuration(text);
  } catch (error) {
    const why = messageOf(error);
    throw new ScheduleError(`failed to parse duration @every ${text}: ${why}`, { cause: error });
  }
}

interface Values {
  readonly set: ReadonlySet<number>;
  /** `*` or `?` without a step: says nothing about the day. */
  readonly any: boolean;
}

function parseField(text: string, field: Field): Values {
  const set = new Set<number>();
  let any = false;
  for (const term of text.split(",")) {
    const { first, last, step, star } = parseTerm(term, field);
    if (star && step === 1) any = true;
    for (let value = first; value <= last; value += step) set.add(value);
  }
  return { set, any };
}

function parseTerm(
  term: string,
  field: Field,
): { first: number; last: number; step: number; star: boolean } {
  const [range = "", stepText, ...more] = term.split("/");
  const [low = "", high, ...rest] = range.split("-");
  if (more.length > 0) throw new ScheduleError(`too many slashes: ${term}`);
  if (rest.length > 0) throw new ScheduleError(`too many hyphens: ${term}`);
  const star = low === "*" || low === "?";
  const first = star ? field.min : valueOf(low, field);
  const openEnd = star || (high === undefined && stepText !== undefined);
  const last = openEnd ? field.max : high === undefined ? first : valueOf(high, field);
  const step = stepText === undefined ? 1 : numberOf(stepText);
  if (first < field.min)
    throw new ScheduleError(`beginning of range (${first}) below minimum (${field.min}): ${term}`);
  if (last > field.max)
    throw new ScheduleError(`end of range (${last}) above maximum (${field.max}): ${term}`);
  if (first > last)
    throw new ScheduleError(`beginning of range (${first}) beyond end of range (${last}): ${term}`);
  if (step === 0) throw new ScheduleError(`step of range should be a positive number: ${term}`);
  return { first, last, step, star };
}

function valueOf(text: string, { names, min }: Field): number {
  const named = names.indexOf(text.toLowerCase());
  return named < 0 ? numberOf(text) : named + min;
}

function numberOf(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const why = `strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`;
  throw new ScheduleError(`failed to parse int from ${text}: ${why}`);
}

function calendarSchedule(sets: readonly Values[], zone: TimeZone): Schedule {
  const [minutes, hours, monthDays, monthSet, weekDays] = sets as [
    Values,
    Values,
    Values,
    Values,
    Values,
  ];
  const dayFits = (date: Date): boolean => {
    const inMonth = monthDays.set.has(date.getUTCDate());
    const inWeek = weekDays.set.has(date.getUTCDay());
    // When both are restricted either suffices, as in every cron.
    return monthDays.any || weekDays.any ? inMonth && inWeek : inMonth || inWeek;
  };
  return {
    next(time) {
      let at = (Math.floor(time / minuteMs) + 1) * minuteMs;
      const end = new Date(at + zone(at)).getUTCFullYear() + yearsMax;
      for (;;) {
        const local = at + zone(at);
        const shown = new Date(local);
        const year = shown.getUTCFullYear();
        if (year > end) return undefined;
        const month = shown.getUTCMonth();
        if (!monthSet.set.has(month + 1)) at = instantOf(Date.UTC(year, month + 1, 1), zone);
        else if (!dayFits(shown)) at = instantOf((Math.floor(local / dayMs) + 1) * dayMs, zone);
        // Within a day instants are counted, so that no hour is missed where clocks are put back.
        else if (!hours.set.has(shown.getUTCHours())) at += hourMs - (local % hourMs);
        else if (!minutes.set.has(shown.getUTCMinutes())) at += minuteMs;
        else return at;
      }
    },
  };
}
