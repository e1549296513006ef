// Numbers as people read them, by unit; used by charts, tables and the terminal alike.
import type { Unit } from "../outcome.ts";

export function shown(value: number, unit: Unit): string {
  if (unit === "bytes") return shownBytes(value);
  if (unit === "share") return `${trimmed(value * 100)} %`;
  if (unit === "ms") return shownMs(value);
  return unit === "perSecond" ? `${shownCount(value)}/s` : shownCount(value);
}

/** 90 s -> `1:30`; hours where there are any. */
export function shownTime(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  const two = (part: number): string => String(part).padStart(2, "0");
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  const tail = two(seconds % 60);
  return hours > 0 ? `${hours}:${two(minutes)}:${tail}` : `${minutes}:${tail}`;
}

/** A round number that is at least `value`, for the top of an axis. */
export function roundUp(value: number, unit: Unit): number {
  if (value <= 0) return 1;
  const base = unit === "bytes" ? 1_024 ** Math.floor(Math.log2(value) / 10) : 1;
  const scaled = value / base;
  const power = 10 ** Math.floor(Math.log10(scaled));
  const step = [1, 2, 2.5, 5, 10].find((factor) => factor * power >= scaled * (1 - 1e-9)) ?? 10;
  return step * power * base;
}

function shownBytes(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  const power = bytes < 1 ? 0 : Math.min(4, Math.floor(Math.log2(bytes) / 10));
  return `${trimmed(bytes / 1_024 ** power)} ${units[power] ?? "B"}`;
}

function shownMs(ms: number): string {
  if (ms < 1_000) return `${trimmed(ms)} ms`;
  return ms < 120_000 ? `${trimmed(ms / 1_000)} s` : `${trimmed(ms / 60_000)} min`;
}

function shownCount(count: number): string {
  if (count >= 1_000_000) return `${trimmed(count / 1_000_000)} M`;
  return count >= 10_000 ? `${trimmed(count / 1_000)} k` : trimmed(count);
}

/** Three digits that matter, and no zeros behind the point. */
function trimmed(value: number): string {
  if (!Number.isFinite(value)) return "∞";
  const digits = value === 0 ? 0 : Math.floor(Math.log10(Math.abs(value)));
  const places = Math.max(0, Math.min(3, 2 - digits));
  return String(Number(value.toFixed(places)));
}
