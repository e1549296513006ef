// Text to bytes and back. Invalid bytes become U+FFFD, as in Go's JSON; a byte order mark is kept, so that parsers
// refuse it as Go's do.

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

export function encodeUtf8(text: string): Uint8Array {
  return encoder.encode(text);
}

export function decodeUtf8(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/** How many bytes `text` takes in UTF-8: what Go's `len` counts. */
export function utf8Length(text: string): number {
  let length = text.length;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x80) continue;
    // A surrogate pair is two units and four bytes; a lone surrogate becomes U+FFFD, three bytes.
    if (code >= 0xd800 && code < 0xdc00 && isLowSurrogate(text.charCodeAt(at + 1))) {
      length += 2;
      at++;
    } else length += code < 0x800 ? 1 : 2;
  }
  return length;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code < 0xe000;
}
