// Reading and writing JSON objects that strangers sent: only own properties count, so `__proto__` and `constructor`
// are keys like any other and never reach a prototype.
import type { JsonValue } from "../object.ts";

export type JsonMap = { [key: string]: JsonValue };

export function isMap(value: JsonValue | undefined): value is JsonMap {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function getOwn(map: JsonMap, key: string): JsonValue | undefined {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}

export function setOwn(map: JsonMap, key: string, value: JsonValue): void {
  if (key === "__proto__") {
    Object.defineProperty(map, key, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  } else {
    map[key] = value;
  }
}

export function deleteOwn(map: JsonMap, key: string): void {
  if (Object.hasOwn(map, key)) delete map[key];
}

export function cloneJson<T extends JsonValue>(value: T): T;
export function cloneJson(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((item) => cloneJson(item));
  if (!isMap(value)) return value;
  const copy: JsonMap = {};
  for (const key of Object.keys(value)) setOwn(copy, key, cloneJson(value[key]!));
  return copy;
}

/** Deep equality; the order of keys does not matter. 1 and 1n never meet: parsing gives bigint only where it must. */
export function equalJson(left: JsonValue, right: JsonValue): boolean {
  if (Array.isArray(left)) {
    if (!Array.isArray(right) || left.length !== right.length) return false;
    return left.every((item, index) => equalJson(item, right[index]!));
  }
  if (!isMap(left) || !isMap(right)) return left === right;
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  return keys.every((key) => Object.hasOwn(right, key) && equalJson(left[key]!, right[key]!));
}

/** `map[a:1 b:[x y]]`: how Go prints a JSON value inside an error text, keys sorted. */
export function goText(value: JsonValue): string {
  if (value === null) return "<nil>";
  if (Array.isArray(value)) return `[${value.map((item) => goText(item)).join(" ")}]`;
  if (!isMap(value)) return String(value);
  const keys = Object.keys(value).sort();
  return `map[${keys.map((key) => `${key}:${goText(value[key]!)}`).join(" ")}]`;
}
