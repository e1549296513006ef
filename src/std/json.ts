// JSON without loss: integers that a double cannot hold become bigint and come back out digit for digit.
// Ordinary documents take the engine's own fast path; the own reader (json-reader.ts) serves long integers, duplicate
// keys and the words of errors. A key `__proto__` is an own property like any other, here and in every copy.
import { JsonReader } from "./json-reader.ts";

/**
 * Deepest nesting of objects and arrays that is read. Go's limit is 10,000, but a stack of JavaScript frames (also the
 * engine's own JSON.stringify) ends at about 4,000, and everything behind the reader may recurse.
 */
export const jsonDepthMax = 1_000;

/** An integer of 16 digits or more; rarely hits inside a string, harmlessly. Digests (`sha256:0000...`) end otherwise. */
const longNumber = /(?:^|[\s:,[-])\d{16,}\s*(?:[,}\]]|$)/;

const longDigits = 16;

/** Throws SyntaxError worded as Go words it: `invalid character 'x' looking for beginning of value`. */
export function parseJson(text: string): unknown {
  if (holdsManyDigits(text) && longNumber.test(text))
    return new JsonReader(text, jsonDepthMax).read();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return new JsonReader(text, jsonDepthMax).read();
  }
  if (text.length > 2 * jsonDepthMax) checkDepth(value, 0);
  return value;
}

/** Whether 16 digits stand in a row: one of every 16 characters is looked at, where the expression looks at each. */
function holdsManyDigits(text: string): boolean {
  for (let at = longDigits - 1; at < text.length; at += longDigits) {
    if (!isDigit(text.charCodeAt(at))) continue;
    let start = at;
    while (start > 0 && isDigit(text.charCodeAt(start - 1))) start--;
    let end = at + 1;
    while (end < text.length && isDigit(text.charCodeAt(end))) end++;
    if (end - start >= longDigits) return true;
  }
  return false;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

export interface TrackedJson {
  readonly value: unknown;
  /** For each object that repeats keys: those keys, in the order of their repetition. The last value stands. */
  readonly duplicates: ReadonlyMap<object, readonly string[]>;
}

/** Slower than parseJson; call it when `hasDuplicateKeys`. */
export function parseJsonTracked(text: string): TrackedJson {
  const duplicates = new Map<object, string[]>();
  return { value: new JsonReader(text, jsonDepthMax, duplicates).read(), duplicates };
}

/** Whether `text`, which parsed to `value`, repeats a key in some object. Costs about a fifth of a parse. */
export function hasDuplicateKeys(text: string, value: unknown): boolean {
  return countTextMembers(text) !== countMembers(value);
}

/** Paths as Go words them: `spec.replicas`, `spec.ports[0].name`. In document order, each once. */
export function findDuplicateKeys(text: string): string[] {
  const { value, duplicates } = parseJsonTracked(text);
  const paths = new Set<string>();
  if (duplicates.size > 0) collectDuplicates(value, "", duplicates, paths);
  return [...paths];
}

function collectDuplicates(
  value: unknown,
  path: string,
  duplicates: TrackedJson["duplicates"],
  paths: Set<string>,
): void {
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    value.forEach((item, index) => collectDuplicates(item, `${path}[${index}]`, duplicates, paths));
    return;
  }
  const repeated = duplicates.get(value);
  for (const key of Object.keys(value)) {
    const child = path === "" ? key : `${path}.${key}`;
    collectDuplicates((value as Record<string, unknown>)[key], child, duplicates, paths);
    if (repeated?.includes(key)) paths.add(child);
  }
}

/** Compact. Fields that are undefined are left out. */
export function stringifyJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "null";
  } catch (error) {
    if (!(error instanceof TypeError) || !holdsBigInt(value)) throw error;
    return write(value);
  }
}

/** Sets an own property also when the key is `__proto__`; for every copy and merge of keys from outside. */
export function setKey(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== "__proto__") {
    target[key] = value;
    return;
  }
  Object.defineProperty(target, key, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}

/** The value of an own property; undefined for anything inherited, like `constructor` or `__proto__`. */
export function getKey<V>(
  source: Readonly<Record<string, V>> | undefined,
  key: string,
): V | undefined {
  return source !== undefined && Object.hasOwn(source, key) ? source[key] : undefined;
}

export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A deep copy that shares nothing with the original. */
export function copyJson<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => copyJson(item)) as T;
  const copy: Record<string, unknown> = {};
  for (const key in value) {
    if (Object.hasOwn(value, key)) setKey(copy, key, copyJson(value[key]));
  }
  return copy as T;
}

/** Deep equality of JSON values; the order of keys does not matter, and a key that is undefined counts as absent. */
export function equalJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, index) => equalJson(item, b[index]));
  }
  return equalObjects(a as JsonObject, b as JsonObject);
}

type JsonObject = Readonly<Record<string, unknown>>;

function equalObjects(a: JsonObject, b: JsonObject): boolean {
  for (const key of Object.keys(a)) if (!equalJson(a[key], getKey(b, key))) return false;
  return Object.keys(b).every((key) => b[key] === undefined || Object.hasOwn(a, key));
}

function checkDepth(value: unknown, depth: number): void {
  if (typeof value !== "object" || value === null) return;
  if (depth >= jsonDepthMax) throw new SyntaxError("exceeded max depth");
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === "object") checkDepth(item, depth + 1);
    return;
  }
  for (const key in value) {
    const child = (value as Record<string, unknown>)[key];
    if (typeof child === "object") checkDepth(child, depth + 1);
  }
}

/** How many `key: value` pairs a valid text holds: the strings that a colon follows. */
function countTextMembers(text: string): number {
  let count = 0;
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at)) {
    at = closingQuote(text, at + 1) + 1;
    let code = text.charCodeAt(at);
    while (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09)
      code = text.charCodeAt(++at);
    if (code === 0x3a) count++;
  }
  return count;
}

/** Index of the first quote from `start` on that no odd run of backslashes precedes. */
function closingQuote(text: string, start: number): number {
  let end = text.indexOf('"', start);
  while (end >= 0) {
    let slashes = 0;
    while (end - slashes > start && text.charCodeAt(end - 1 - slashes) === 0x5c) slashes++;
    if (slashes % 2 === 0) return end;
    end = text.indexOf('"', end + 1);
  }
  return text.length;
}

function countMembers(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === "object") count += countMembers(item);
    return count;
  }
  for (const key in value) {
    count++;
    const child = (value as Record<string, unknown>)[key];
    if (typeof child === "object") count += countMembers(child);
  }
  return count;
}

function holdsBigInt(value: unknown): boolean {
  if (typeof value === "bigint") return true;
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).some(holdsBigInt);
}

function write(value: unknown): string {
  if (typeof value === "bigint") return value.toString();
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map(write).join(",")}]`;
  const members: string[] = [];
  for (const key of Object.keys(value)) {
    const child = (value as Record<string, unknown>)[key];
    if (child !== undefined) members.push(`${JSON.stringify(key)}:${write(child)}`);
  }
  return `{${members.join(",")}}`;
}
