// The query string of one request, read the way Go reads it: first value wins, malformed pairs vanish, typed values
// fail with strconv's words. Nothing is parsed until somebody asks.
import { badRequest } from "../api/meta/errors.ts";
import { decodeUtf8, encodeUtf8 } from "../std/utf8.ts";

const int64Max = 9223372036854775807n;
const int64Min = -9223372036854775808n;

export class Query {
  readonly raw: string;
  #values: ReadonlyMap<string, readonly string[]> | undefined;

  constructor(raw: string) {
    this.raw = raw;
  }

  /** The first value; undefined when the parameter is absent. */
  first(name: string): string | undefined {
    return this.raw === "" ? undefined : this.#parsed().get(name)?.[0];
  }

  all(name: string): readonly string[] {
    return this.raw === "" ? [] : (this.#parsed().get(name) ?? []);
  }

  /** As strconv.ParseInt(value, 10, 64); 400 when it is none. Beyond 2^53 the nearest double. */
  integer(name: string): number | undefined {
    const text = this.first(name);
    return text === undefined ? undefined : parseInt64(text);
  }

  /** Anything but `false` and `0` is true, also the empty value. */
  flag(name: string): boolean | undefined {
    const text = this.first(name);
    return text === undefined ? undefined : isTrue(text);
  }

  #parsed(): ReadonlyMap<string, readonly string[]> {
    this.#values ??= parsePairs(this.raw);
    return this.#values;
  }
}

function isTrue(text: string): boolean {
  const lower = text.toLowerCase();
  return lower !== "false" && lower !== "0";
}

function parsePairs(raw: string): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const pair of raw.split("&")) {
    if (pair === "" || pair.includes(";")) continue;
    const at = pair.indexOf("=");
    const name = unescapeQuery(at < 0 ? pair : pair.slice(0, at));
    const value = at < 0 ? "" : unescapeQuery(pair.slice(at + 1));
    if (name === undefined || value === undefined) continue;
    const known = values.get(name);
    if (known === undefined) values.set(name, [value]);
    else known.push(value);
  }
  return values;
}

function unescapeQuery(text: string): string | undefined {
  const spaced = text.includes("+") ? text.replaceAll("+", " ") : text;
  return unescape(spaced);
}

/** Percent-decoding; undefined when the escapes are malformed. Escaped bytes that are no UTF-8 become U+FFFD. */
export function unescape(text: string): string | undefined {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return /%(?![0-9a-fA-F]{2})/.test(text) ? undefined : decodeUtf8(unescapeBytes(text));
  }
}

/** Every escape in `text` is well formed. */
function unescapeBytes(text: string): Uint8Array {
  const bytes = encodeUtf8(text);
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    const isEscape = bytes[at] === percent;
    const hex = isEscape ? String.fromCharCode(bytes[at + 1]!, bytes[at + 2]!) : "";
    bytes[length++] = isEscape ? Number.parseInt(hex, 16) : bytes[at]!;
    if (isEscape) at += 2;
  }
  return bytes.subarray(0, length);
}

const percent = 0x25;

function parseInt64(text: string): number {
  if (!/^[+-]?\d+$/.test(text))
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  const value = BigInt(text.startsWith("+") ? text.slice(1) : text);
  if (value > int64Max || value < int64Min)
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: value out of range`);
  return Number(value);
}
