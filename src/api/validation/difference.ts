// What changed between two values, as lines a user can read after a refusal: the path, then what was and what is.
import { getKey, stringifyJson } from "../../std/json.ts";
import { semanticallyEqual } from "./semantic-equality.ts";

/** A refusal shows no more changes than this. */
const linesMax = 20;

export function describeDifference(before: unknown, after: unknown): string {
  const lines: string[] = [];
  collect(before, after, { path: "", lines });
  return lines.slice(0, linesMax).join("\n");
}

interface Walk {
  readonly path: string;
  readonly lines: string[];
}

function collect(before: unknown, after: unknown, walk: Walk): void {
  if (semanticallyEqual(before, after)) return;
  if (!isBranch(before) || !isBranch(after) || Array.isArray(before) !== Array.isArray(after)) {
    if (before !== undefined) walk.lines.push(`- ${walk.path}: ${stringifyJson(before)}`);
    if (after !== undefined) walk.lines.push(`+ ${walk.path}: ${stringifyJson(after)}`);
    return;
  }
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const step = Array.isArray(before) ? `[${key}]` : walk.path === "" ? key : `.${key}`;
    collect(getKey(before, key), getKey(after, key), {
      path: walk.path + step,
      lines: walk.lines,
    });
  }
}

function isBranch(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
