// Points of time as objects carry them, to the second, and as controllers reckon with them, in milliseconds.
import { formatTime } from "../../api/codec/time.ts";

/** `2026-01-02T03:04:05Z`; fractions of a second are dropped. */
export function timestamp(ms: number): string {
  return formatTime({ seconds: Math.floor(ms / 1_000), nanos: 0 }) ?? "";
}

/** Undefined when there is none, or null, which is how Go writes the zero time. */
export function msOf(time: string | null | undefined): number | undefined {
  return typeof time === "string" ? Date.parse(time) : undefined;
}
