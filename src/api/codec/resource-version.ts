// Stored bytes know no resourceVersion, since the revision exists only after the commit; served bytes carry it in metadata,
// right behind the leading strings name, generateName, namespace, selfLink and uid. Both ways without a parse.
import { assert } from "../../std/assert.ts";

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const brace = 0x7b;
const endBrace = 0x7d;

const metadata = ascii('"metadata":{');
/** In the order in which encodeJson prints them. */
const leading = ["name", "generateName", "namespace", "selfLink", "uid"].map((key) =>
  ascii(`"${key}":"`),
);
const resourceVersion = ascii('"resourceVersion":"');

/** A copy of `value` with `"resourceVersion":"<revision>"` in its metadata. `value` must come from encodeJson. */
export function spliceResourceVersion(value: Uint8Array, revision: number): Uint8Array {
  const place = findPlace(value);
  const digits = String(revision);
  const isFirst = value[place - 1] === brace;
  const isLast = value[place] === endBrace;
  const commas = isFirst && isLast ? 0 : 1;
  const length = resourceVersion.length + digits.length + 1 + commas;
  const result = new Uint8Array(value.length + length);
  // One array and no views of it: this runs twice for every write.
  result.set(value);
  result.copyWithin(place + length, place, value.length);
  let to = place;
  if (!isFirst) result[to++] = comma;
  for (let at = 0; at < resourceVersion.length; at++) result[to++] = resourceVersion[at]!;
  for (let at = 0; at < digits.length; at++) result[to++] = digits.charCodeAt(at);
  result[to++] = quote;
  if (isFirst && !isLast) result[to] = comma;
  return result;
}

/** Whether `served` is what `spliceResourceVersion` makes of `value` at its own revision. Copies nothing. */
export function isServedFrom(served: Uint8Array, value: Uint8Array, revision: number): boolean {
  const more = served.length - value.length;
  const shortest = resourceVersion.length + String(revision).length + 1;
  if (more !== shortest && more !== shortest + 1) return false;
  const place = findPlace(value);
  for (let at = 0; at < place; at++) if (served[at] !== value[at]) return false;
  for (let at = place; at < value.length; at++) if (served[at + more] !== value[at]) return false;
  return true;
}

/** The inverse: a copy without resourceVersion, or `value` itself when it has none. */
export function stripResourceVersion(value: Uint8Array): Uint8Array {
  let start = findPlace(value);
  const isFirst = value[start - 1] === brace;
  const key = isFirst ? start : start + 1;
  if (!startsAt(value, key, resourceVersion)) return value;
  let end = closingQuote(value, key + resourceVersion.length) + 1;
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
  // Only kind and apiVersion stand before metadata.
  while (!startsAt(value, at, metadata)) {
    assert(value[at] === quote, "stored value has no metadata in front");
    const colon = closingQuote(value, at + 1) + 1;
    assert(value[colon + 1] === quote, "only strings may stand before metadata");
    at = closingQuote(value, colon + 2) + 2;
  }
  at += metadata.length;
  let place = at;
  for (const key of leading) {
    if (!startsAt(value, at, key)) continue;
    place = closingQuote(value, at + key.length) + 1;
    at = value[place] === comma ? place + 1 : place;
  }
  return place;
}

function startsAt(value: Uint8Array, start: number, text: Uint8Array): boolean {
  for (let at = 0; at < text.length; at++) if (value[start + at] !== text[at]) return false;
  return true;
}

/** Index of the quote that closes the string whose first character is at `start`. */
function closingQuote(value: Uint8Array, start: number): number {
  let at = start;
  while (at < value.length && value[at] !== quote) at += value[at] === backslash ? 2 : 1;
  assert(at < value.length, "stored value is cut off");
  return at;
}

function ascii(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}
