// Durations as Go prints them, for the texts of events: `300ms`, `1.5s`, `2m40s`.
import { formatDuration } from "../api/codec/time.ts";

export function formatSpan(ms: number): string {
  return formatDuration(BigInt(Math.round(ms)) * 1_000_000n);
}
