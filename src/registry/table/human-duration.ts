// How Kubernetes writes ages and durations: two units at most, coarser as they grow (upstream:
// apimachinery/pkg/util/duration). A year has 365 days; every division drops its remainder.

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const daysInYear = 365;

/** A clock may run a little ahead of the one that wrote the timestamp; up to 1 s (exclusive of 2) reads as 0. */
const skewSecondsMax = 1;

/** `ms` may be negative. Examples: `75s`, `5m10s`, `3h20m`, `2d5h`, `<invalid>`. */
export function humanDuration(ms: number): string {
  const seconds = Math.trunc(ms / secondMs);
  if (seconds < -skewSecondsMax) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.trunc(ms / minuteMs);
  if (minutes < 10) return twoUnits(minutes, "m", seconds % 60, "s");
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.trunc(ms / hourMs);
  if (hours < 8) return twoUnits(hours, "h", minutes % 60, "m");
  if (hours < 48) return `${hours}h`;
  const days = Math.trunc(hours / 24);
  if (days < 8) return twoUnits(days, "d", hours % 24, "h");
  if (days < 2 * daysInYear) return `${days}d`;
  const years = Math.trunc(days / daysInYear);
  return years < 8 ? twoUnits(years, "y", days % daysInYear, "d") : `${years}y`;
}

/** Time since an RFC 3339 timestamp; `<unknown>` when it is unset. */
export function ageOf(timestamp: string | null | undefined, now: number): string {
  if (timestamp === undefined || timestamp === null || timestamp === "") return "<unknown>";
  return humanDuration(now - Date.parse(timestamp));
}

function twoUnits(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit}${small}${smallUnit}`;
}
