// Kubernetes' times: RFC 3339 in, UTC seconds out (Time) or exactly six decimals (MicroTime), and Go's durations.
// Errors read like Go's time.Parse. The zero time is null.
import { DecodeError } from "./decode-error.ts";

/** Seconds since 1970, and what is left of the second. */
export interface Instant {
  readonly seconds: number;
  readonly nanos: number;
}

const secondsLayout = "2006-01-02T15:04:05Z07:00";
const microLayout = "2006-01-02T15:04:05.000000Z07:00";
/** 0001-01-01T00:00:00Z, Go's zero time. */
const zeroSeconds = -62_135_596_800;
const daysInMonth = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Go's text of the time, or null for the zero time. Throws DecodeError. */
export function normalizeTime(text: string): string | null {
  if (isPlainUtc(text, 20) && !text.startsWith("0001-")) return text;
  return formatTime(parseTime(text));
}

export function normalizeMicroTime(text: string): string | null {
  if (isPlainUtc(text, 27) && !text.startsWith("0001-")) return text;
  return formatMicroTime(parseMicroTime(text));
}

/** Throws DecodeError. Fractions are read and dropped, as Go's Time prints none. */
export function parseTime(text: string): Instant {
  // Date.UTC takes the years before 100 for those of the last century.
  if (isPlainUtc(text, 20) && !text.startsWith("00"))
    return { seconds: plainSeconds(text), nanos: 0 };
  return { seconds: parse(text, secondsLayout).seconds, nanos: 0 };
}

/** Throws DecodeError unless there are exactly six decimals. */
export function parseMicroTime(text: string): Instant {
  return parse(text, microLayout);
}

export function formatTime(instant: Instant): string | null {
  if (isZero(instant)) return null;
  return `${isoSeconds(instant.seconds)}Z`;
}

/** Drops what is below a microsecond. */
export function formatMicroTime(instant: Instant): string | null {
  if (isZero(instant)) return null;
  const micros = String(Math.floor(instant.nanos / 1000)).padStart(6, "0");
  return `${isoSeconds(instant.seconds)}.${micros}Z`;
}

function isZero(instant: Instant): boolean {
  return instant.seconds === zeroSeconds && instant.nanos === 0;
}

function isoSeconds(seconds: number): string {
  const iso = new Date(seconds * 1000).toISOString();
  return iso.slice(0, iso.indexOf("."));
}

/** `2024-05-06T07:08:09Z` of a day that every year has; the common case, without a regular expression. */
function isPlainUtc(text: string, length: number): boolean {
  if (text.length !== length || text.charCodeAt(length - 1) !== 0x5a) return false;
  for (let at = 0; at < length - 1; at++) {
    const code = text.charCodeAt(at);
    const mark = marks[at]!;
    if (mark === 0 ? code < 0x30 || code > 0x39 : code !== mark) return false;
  }
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth[month - 1]!) return false;
  return twoDigits(text, 11) < 24 && twoDigits(text, 14) < 60 && twoDigits(text, 17) < 60;
}

/** Of a text that `isPlainUtc`. */
function plainSeconds(text: string): number {
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2);
  const date = Date.UTC(year, twoDigits(text, 5) - 1, twoDigits(text, 8));
  const ofDay = twoDigits(text, 11) * 3_600 + twoDigits(text, 14) * 60 + twoDigits(text, 17);
  return date / 1_000 + ofDay;
}

const marks = Array.from("0000-00-00T00:00:00.000000", (char) =>
  char === "0" ? 0 : char.charCodeAt(0),
);

function twoDigits(text: string, at: number): number {
  return (text.charCodeAt(at) - 0x30) * 10 + text.charCodeAt(at + 1) - 0x30;
}

/** Each part of the layout with the pattern that Go expects there and the word it names it by. */
const steps: readonly (readonly [RegExp, string])[] = [
  [/^\d{4}/, "2006"],
  [/^-/, "-"],
  [/^\d{2}/, "01"],
  [/^-/, "-"],
  [/^\d{2}/, "02"],
  [/^T/, "T"],
  [/^\d{2}/, "15"],
  [/^:/, ":"],
  [/^\d{2}/, "04"],
  [/^:/, ":"],
  [/^\d{2}/, "05"],
];
const zone = /^(?:Z|[+-]\d{2}:\d{2})/;

function parse(text: string, layout: string): Instant {
  const values: string[] = [];
  let rest = text;
  const take = (pattern: RegExp, word: string): string => {
    const match = pattern.exec(rest);
    if (match === null) throw cannotParse(text, layout, rest, word);
    rest = rest.slice(match[0].length);
    return match[0];
  };
  for (const [pattern, word] of steps) values.push(take(pattern, word));
  const fraction =
    layout === microLayout ? take(/^[.,]\d{6}/, ".000000") : take(/^(?:[.,]\d+)?/, "");
  const offset = take(zone, "Z07:00");
  if (rest !== "")
    throw new DecodeError(
      `parsing time ${JSON.stringify(text)}: extra text: ${JSON.stringify(rest)}`,
    );
  const civil = [0, 2, 4, 6, 8, 10].map((index) => Number(values[index])) as unknown as CivilTime;
  checkRanges(civil, text);
  const [year, month, day, hour, minute, second] = civil;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second);
  const nanos = Number(fraction.slice(1, 10).padEnd(9, "0"));
  return { seconds: date.getTime() / 1000 - offsetSeconds(offset), nanos };
}

type CivilTime = readonly [
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
];

function checkRanges(civil: CivilTime, text: string): void {
  const [year, month, day, hour, minute, second] = civil;
  const out =
    ((month < 1 || month > 12) && "month") ||
    (hour > 23 && "hour") ||
    (minute > 59 && "minute") ||
    (second > 59 && "second") ||
    ((day < 1 || day > lastDay(year, month)) && "day");
  if (out) throw new DecodeError(`parsing time ${JSON.stringify(text)}: ${out} out of range`);
}

function lastDay(year: number, month: number): number {
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return month === 2 && leap ? 29 : (daysInMonth[month - 1] ?? 31);
}

function offsetSeconds(zoneText: string): number {
  if (zoneText === "Z") return 0;
  const [hours, minutes] = zoneText.slice(1).split(":").map(Number) as [number, number];
  const seconds = hours * 3600 + minutes * 60;
  return zoneText.startsWith("-") ? -seconds : seconds;
}

function parsing(text: string, layout: string): string {
  return `parsing time ${JSON.stringify(text)} as ${JSON.stringify(layout)}`;
}

function cannotParse(text: string, layout: string, rest: string, word: string): DecodeError {
  return new DecodeError(
    `${parsing(text, layout)}: cannot parse ${JSON.stringify(rest)} as ${JSON.stringify(word)}`,
  );
}

const unitNanos: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

/** Nanoseconds of `1h2m3.5s`. Throws DecodeError worded like Go's time.ParseDuration. */
export function parseDuration(text: string): bigint {
  const quoted = JSON.stringify(text);
  const unsigned = /^[+-]/.test(text) ? text.slice(1) : text;
  if (unsigned === "0") return 0n;
  if (unsigned === "") throw new DecodeError(`time: invalid duration ${quoted}`);
  let total = 0n;
  for (let rest = unsigned; rest !== "";) {
    const number = /^(?:\d+\.?\d*|\.\d+)/.exec(rest)?.[0];
    if (number === undefined) throw new DecodeError(`time: invalid duration ${quoted}`);
    rest = rest.slice(number.length);
    const unit = /^[^\d.]*/.exec(rest)?.[0] ?? "";
    if (unit === "") throw new DecodeError(`time: missing unit in duration ${quoted}`);
    const nanos = Object.hasOwn(unitNanos, unit) ? unitNanos[unit] : undefined;
    if (nanos === undefined)
      throw new DecodeError(`time: unknown unit ${JSON.stringify(unit)} in duration ${quoted}`);
    total += nanosOf(number, nanos);
    rest = rest.slice(unit.length);
  }
  return text.startsWith("-") ? -total : total;
}

function nanosOf(number: string, unit: bigint): bigint {
  const [whole = "", fraction = ""] = number.split(".");
  const digits = fraction.slice(0, 18);
  return (
    BigInt(whole === "" ? "0" : whole) * unit +
    (digits === "" ? 0n : (BigInt(digits) * unit) / 10n ** BigInt(digits.length))
  );
}

/** Go's Duration.String: `1h2m3.5s`, `1.5ms`, `0s`. */
export function formatDuration(nanos: bigint): string {
  if (nanos === 0n) return "0s";
  const sign = nanos < 0n ? "-" : "";
  const size = nanos < 0n ? -nanos : nanos;
  for (const [limit, unit, text] of [
    [1_000n, 1n, "ns"],
    [1_000_000n, 1_000n, "µs"],
    [1_000_000_000n, 1_000_000n, "ms"],
  ] as const)
    if (size < limit) return `${sign}${decimal(size, unit)}${text}`;
  const seconds = decimal(size % unitNanos["m"]!, unitNanos["s"]!);
  const minutes = size / unitNanos["m"]!;
  if (minutes === 0n) return `${sign}${seconds}s`;
  if (minutes < 60n) return `${sign}${minutes}m${seconds}s`;
  return `${sign}${minutes / 60n}h${minutes % 60n}m${seconds}s`;
}

function decimal(value: bigint, unit: bigint): string {
  const rest = value % unit;
  if (rest === 0n) return (value / unit).toString();
  const width = unit.toString().length - 1;
  return `${value / unit}.${rest.toString().padStart(width, "0").replace(/0+$/, "")}`;
}
