// Cuts and lays out JSON without parsing it: bytes in, bytes out, numbers untouched digit for digit. The input is
// always what our own encoder wrote, so it is well formed and compact.
import { encodeUtf8 } from "../std/utf8.ts";

const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const comma = 0x2c;
const colon = 0x3a;
const space = 0x20;
const newline = 0x0a;

const metadataKey = encodeUtf8('"metadata":');

/**
 * The metadata object of `{"kind":…,"apiVersion":…,"metadata":{…},…`; `skip` bytes lead up to the key.
 * Undefined when something else stands there.
 */
export function sliceMetadata(bytes: Uint8Array, skip: number): Uint8Array | undefined {
  for (let i = 0; i < metadataKey.length; i++)
    if (bytes[skip + i] !== metadataKey[i]) return undefined;
  const start = skip + metadataKey.length;
  return bytes.subarray(start, valueEnd(bytes, start));
}

/** Index behind the object or array that starts at `at`. */
function valueEnd(bytes: Uint8Array, at: number): number {
  let depth = 0;
  let i = at;
  while (i < bytes.length) {
    const byte = bytes[i]!;
    if (byte === quote) i = stringEnd(bytes, i);
    else {
      i++;
      if (byte === openBrace || byte === openBracket) depth++;
      else if ((byte === closeBrace || byte === closeBracket) && --depth === 0) return i;
    }
  }
  return i;
}

/** Index behind the string whose opening quote is at `at`. */
function stringEnd(bytes: Uint8Array, at: number): number {
  let i = at + 1;
  while (i < bytes.length && bytes[i] !== quote) i += bytes[i] === backslash ? 2 : 1;
  return i + 1;
}

/** Two blanks a level, as encoding/json's Indent; `depth` levels stand around the value already. */
export function indentJson(bytes: Uint8Array, depth = 0): Uint8Array {
  const out = new GrowingBytes(bytes.length * 2);
  let level = depth;
  let i = 0;
  while (i < bytes.length) {
    const byte = bytes[i]!;
    if (byte === quote) {
      const end = stringEnd(bytes, i);
      out.append(bytes.subarray(i, end));
      i = end;
      continue;
    }
    i++;
    if (byte === openBrace || byte === openBracket) {
      out.byte(byte);
      const next = bytes[i];
      if (next === closeBrace || next === closeBracket) {
        out.byte(next);
        i++;
      } else out.line(++level);
    } else if (byte === closeBrace || byte === closeBracket) {
      out.line(--level);
      out.byte(byte);
    } else {
      out.byte(byte);
      if (byte === comma) out.line(level);
      else if (byte === colon) out.byte(space);
    }
  }
  return out.bytes();
}

/** Append-only bytes that double when full. */
class GrowingBytes {
  #buffer: Uint8Array;
  #length = 0;

  constructor(capacity: number) {
    this.#buffer = new Uint8Array(Math.max(capacity, 64));
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#buffer[this.#length++] = value;
  }

  append(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#buffer.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  line(level: number): void {
    this.#reserve(1 + 2 * level);
    this.#buffer[this.#length++] = newline;
    this.#buffer.fill(space, this.#length, this.#length + 2 * level);
    this.#length += 2 * level;
  }

  bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#length);
  }

  #reserve(count: number): void {
    const needed = this.#length + count;
    if (needed <= this.#buffer.length) return;
    const grown = new Uint8Array(Math.max(needed, this.#buffer.length * 2));
    grown.set(this.#buffer.subarray(0, this.#length));
    this.#buffer = grown;
  }
}

/** One buffer out of several. */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  let length = 0;
  for (const part of parts) length += part.length;
  const joined = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}
