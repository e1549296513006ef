// Stored bytes know no resourceVersion, since the revision exists only after the commit; served bytes carry it in metadata,
// right behind the leading strings name, generateName, namespace, selfLink and uid. Both ways without a parse.
import { assert } from "../../std/assert.ts";

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const brace = 0x7b;
const endBrace = 0x7d;

const keyMax = 16;
const metadata = "metadata";
const leading = new Set(["name", "generateName", "namespace", "selfLink", "uid"]);
const resourceVersion = "resourceVersion";

/** A copy of `value` with `"resourceVersion":"<revision>"` in its metadata. `value` must come from encodeJson. */
export function spliceResourceVersion(value: Uint8Array, revision: number): Uint8Array {
  const place = findPlace(value);
  const inserted = ascii(`"resourceVersion":"${revision}"`);
  const isFirst = value[place - 1] === brace;
  const isLast = value[place] === endBrace;
  const commas = isFirst && isLast ? 0 : 1;
  const result = new Uint8Array(value.length + inserted.length + commas);
  result.set(value.subarray(0, place));
  let to = place;
  if (!isFirst) result[to++] = comma;
  result.set(inserted, to);
  to += inserted.length;
  if (isFirst && !isLast) result[to++] = comma;
  result.set(value.subarray(place), to);
  return result;
}

/** The inverse: a copy without resourceVersion, or `value` itself when it has none. */
export function stripResourceVersion(value: Uint8Array): Uint8Array {
  let start = findPlace(value);
  const isFirst = value[start - 1] === brace;
  const key = isFirst ? start : start + 1;
  if (value[key] !== quote || readKey(value, key) !== resourceVersion) return value;
  let end = endOfString(value, key + resourceVersion.length + 3) + 1;
  if (isFirst) {
    start = key;
    if (value[end] === comma) end++;
  }
  const result = new Uint8Array(value.length - (end - start));
  result.set(value.subarray(0, start));
  result.set(value.subarray(end), start);
  return result;
}

/** Index behind the last leading string of metadata, or behind its brace. */
function findPlace(value: Uint8Array): number {
  let at = 1;
  assert(value[0] === brace, "stored value is no JSON object");
  for (;;) {
    assert(value[at] === quote, "stored value has no metadata in front");
    const key = readKey(value, at);
    at += key.length + 3;
    if (key === metadata) break;
    assert(value[at] === quote, "only strings may stand before metadata");
    at = endOfString(value, at) + 2;
  }
  assert(value[at] === brace, "metadata is no object");
  at++;
  let place = at;
  while (value[at] === quote) {
    const key = readKey(value, at);
    if (!leading.has(key)) break;
    place = endOfString(value, at + key.length + 3) + 1;
    at = value[place] === comma ? place + 1 : place;
  }
  return place;
}

/** The key that starts at `start`; cut when longer than any that matters. */
function readKey(value: Uint8Array, start: number): string {
  let key = "";
  for (let at = start + 1; key.length < keyMax && value[at] !== quote; at++) {
    key += String.fromCharCode(value[at]!);
  }
  return key;
}

/** Index of the closing quote of the string that opens at `start`. */
function endOfString(value: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < value.length && value[at] !== quote) at += value[at] === backslash ? 2 : 1;
  assert(at < value.length, "stored value is cut off");
  return at;
}

function ascii(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}
