// Sets of completion indexes, in the compact text of status.completedIndexes: `1,3-5,7`. Pure.
import type { Pod } from "../../api/types/core-v1.ts";
import { indexAnnotation } from "./profile.ts";

export type IndexSet = ReadonlySet<number>;

/** Ignores what is not below `completions`: an elastic Job may have shrunk. */
export function parseIndexes(text: string, completions: number): Set<number> {
  const indexes = new Set<number>();
  for (const part of text.split(",")) {
    if (!/^\d+(-\d+)?$/.test(part)) continue;
    const [first = "", last = first] = part.split("-");
    const end = Math.min(Number(last), completions - 1);
    for (let index = Number(first); index <= end; index++) indexes.add(index);
  }
  return indexes;
}

export function formatIndexes(indexes: IndexSet): string {
  const sorted = [...indexes].sort((a, b) => a - b);
  const parts: string[] = [];
  for (let at = 0; at < sorted.length;) {
    let end = at;
    while (end + 1 < sorted.length && sorted[end + 1] === sorted[end]! + 1) end++;
    // Two neighbours are written apart, as upstream does.
    if (end === at) parts.push(`${sorted[at]!}`);
    else if (end === at + 1) parts.push(`${sorted[at]!},${sorted[end]!}`);
    else parts.push(`${sorted[at]!}-${sorted[end]!}`);
    at = end + 1;
  }
  return parts.join(",");
}

export function indexOf(pod: Pod): number | undefined {
  const text = pod.metadata.annotations?.[indexAnnotation] ?? "";
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

/** The lowest `count` indexes that are in none of the sets. */
export function pendingIndexes(
  count: number,
  completions: number,
  taken: readonly IndexSet[],
): number[] {
  const pending: number[] = [];
  for (let index = 0; index < completions && pending.length < count; index++)
    if (!taken.some((set) => set.has(index))) pending.push(index);
  return pending;
}
