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
