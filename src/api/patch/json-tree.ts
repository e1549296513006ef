// JSON as patches walk it, and as Go prints it.
import type { JsonValue } from "../object.ts";

export type JsonMap = { [key: string]: JsonValue };

export function isMap(value: JsonValue | undefined): value is JsonMap {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** `map[a:1 b:[x y]]`: how Go prints a JSON value inside an error text, keys sorted. */
export function goText(value: JsonValue): string {
  if (value === null) return "<nil>";
  if (Array.isArray(value)) return `[${value.map((item) => goText(item)).join(" ")}]`;
  if (!isMap(value)) return String(value);
  const keys = Object.keys(value).sort();
  return `map[${keys.map((key) => `${key}:${goText(value[key]!)}`).join(" ")}]`;
}
