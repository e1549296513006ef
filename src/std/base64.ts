// Standard base64 (RFC 4648 §4) as Go's StdEncoding reads and writes it: padded, line breaks skipped, trailing bits
// ignored; errors name the offset of the offending byte as Go does.

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const codes = Uint8Array.from(alphabet, (char) => char.charCodeAt(0));
const values = new Uint8Array(256).fill(255);
codes.forEach((code, index) => (values[code] = index));

const padding = 0x3d;
/** Pieces this long keep String.fromCharCode within its argument limit. */
const chunkBytes = 8_190;

export class Base64Error extends Error {
  override readonly name = "Base64Error";
  constructor(offset: number) {
    super(`illegal base64 data at input byte ${offset}`);
  }
}

export function encodeBase64(bytes: Uint8Array): string {
  const out = new Uint8Array(Math.ceil(bytes.length / 3) * 4);
  let to = 0;
  for (let at = 0; at < bytes.length; at += 3) {
    const left = bytes.length - at;
    const group = (byteAt(bytes, at) << 16) | (byteAt(bytes, at + 1) << 8) | byteAt(bytes, at + 2);
    out[to++] = codes[group >> 18]!;
    out[to++] = codes[(group >> 12) & 63]!;
    out[to++] = left > 1 ? codes[(group >> 6) & 63]! : padding;
    out[to++] = left > 2 ? codes[group & 63]! : padding;
  }
  return latin1(out);
}

/** Throws Base64Error. */
export function decodeBase64(text: string): Uint8Array {
  const out = new Uint8Array(Math.floor((text.length * 3) / 4));
  let to = 0;
  let group = 0;
  let digits = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x0a || code === 0x0d) continue;
    const value = code < 256 ? values[code]! : 255;
    if (value === 255) {
      if (code !== padding) throw new Base64Error(byteOffset(text, at));
      checkPadding(text, at, digits);
      return finish(out, to, group, digits);
    }
    group = (group << 6) | value;
    if (++digits === 4) {
      out[to++] = group >> 16;
      out[to++] = (group >> 8) & 255;
      out[to++] = group & 255;
      group = 0;
      digits = 0;
    }
  }
  if (digits > 0) throw new Base64Error(byteOffset(text, text.length) - digits);
  return out.subarray(0, to);
}

/** The text Go would print after decoding `text`; throws Base64Error. Cheap when it is in that form already. */
export function normalizeBase64(text: string): string {
  return isCanonical(text) ? text : encodeBase64(decodeBase64(text));
}

function isCanonical(text: string): boolean {
  const length = text.length;
  if (length % 4 !== 0) return false;
  let end = length;
  while (end > length - 2 && text.charCodeAt(end - 1) === padding) end--;
  for (let at = 0; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code > 255 || values[code] === 255) return false;
  }
  if (end === length) return true;
  const unused = length - end === 1 ? 3 : 15;
  return (values[text.charCodeAt(end - 1)]! & unused) === 0;
}

/** At a `=`: after two or three digits comes the right number of them, and then nothing but line breaks. */
function checkPadding(text: string, at: number, digits: number): void {
  if (digits < 2) throw new Base64Error(byteOffset(text, at));
  let next = skipBreaks(text, at + 1);
  if (digits === 2) {
    if (next >= text.length) throw new Base64Error(byteOffset(text, text.length));
    if (text.charCodeAt(next) !== padding) throw new Base64Error(byteOffset(text, next) - 1);
    next = skipBreaks(text, next + 1);
  }
  if (next < text.length) throw new Base64Error(byteOffset(text, next));
}

function skipBreaks(text: string, start: number): number {
  let at = start;
  while (text[at] === "\n" || text[at] === "\r") at++;
  return at;
}

function finish(out: Uint8Array, end: number, group: number, digits: number): Uint8Array {
  let to = end;
  if (digits === 3) {
    out[to++] = group >> 10;
    out[to++] = (group >> 2) & 255;
  } else out[to++] = group >> 4;
  return out.subarray(0, to);
}

function byteAt(bytes: Uint8Array, at: number): number {
  return bytes[at] ?? 0;
}

/** Go counts bytes of UTF-8; only text before the first stray character is ASCII for sure. */
function byteOffset(text: string, at: number): number {
  let offset = at;
  for (let index = 0; index < at; index++) {
    const code = text.charCodeAt(index);
    if (code > 0x7f) offset += code > 0x7ff ? 2 : 1;
  }
  return offset;
}

function latin1(bytes: Uint8Array): string {
  if (bytes.length <= chunkBytes) return String.fromCharCode(...bytes);
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += chunkBytes)
    parts.push(String.fromCharCode(...bytes.subarray(at, at + chunkBytes)));
  return parts.join("");
}
