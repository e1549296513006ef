// What clocks on the wall show, by the time zone database that JavaScript engines carry. Pure for one engine: the rules
// of a zone change with the engine's version, and with nothing else.
import { BoundedMap } from "./bounded-map.ts";

/** Milliseconds that its clocks are ahead of UTC at an instant (epoch ms). */
export type TimeZone = (instant: number) => number;

export const utc: TimeZone = () => 0;

/** A little more than there are names; a formatter takes some 10 kB. */
const zonesMax = 700;
const known = new BoundedMap<TimeZone>(zonesMax);

/** Undefined: no such zone. Names are spelt as IANA spells them: `Europe/Berlin`, `Etc/GMT+5`. */
export function findTimeZone(name: string): TimeZone | undefined {
  const found = known.get(name);
  if (found !== undefined) return found;
  const zone = loadZone(name);
  if (zone !== undefined) known.set(name, zone);
  return zone;
}

function loadZone(name: string): TimeZone | undefined {
  // Engines also take `europe/berlin` and `+01:00`, which are no names.
  if (!/^[A-Z]/.test(name)) return undefined;
  let clock: Intl.DateTimeFormat;
  try {
    clock = new Intl.DateTimeFormat("en-US", {
      timeZone: name,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
  return (instant) => shownBy(clock, instant) - Math.floor(instant / 1_000) * 1_000;
}

/** The time shown, as if it were UTC. */
function shownBy(clock: Intl.DateTimeFormat, instant: number): number {
  const shown: Record<string, number> = {};
  for (const { type, value } of clock.formatToParts(instant)) shown[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = shown;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

const dayMs = 86_400_000;

/** The first instant at which the zone's clocks show `local` (as if it were UTC), or where they skip it, the next time. */
export function instantOf(local: number, zone: TimeZone): number {
  // What held the day before is tried first: of a time that comes twice it gives the first.
  const candidates = [local - dayMs, local + dayMs].map((near) => local - zone(near));
  return candidates.find((instant) => instant + zone(instant) === local) ?? candidates[0]!;
}

/** RFC 3339 with the zone's offset, to the second: `2026-07-01T09:00:00+02:00`, and `Z` where it is UTC's. */
export function zonedText(instant: number, zone: TimeZone): string {
  const offset = zone(instant);
  const shown = new Date(instant + offset).toISOString().slice(0, 19);
  if (offset === 0) return `${shown}Z`;
  const minutes = Math.abs(offset) / 60_000;
  const two = (value: number): string => String(Math.floor(value)).padStart(2, "0");
  return `${shown}${offset < 0 ? "-" : "+"}${two(minutes / 60)}:${two(minutes % 60)}`;
}
