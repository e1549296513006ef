// Header blocks of SPDY/3.1: names and values with their lengths, all blocks of one direction in one zlib stream. What we
// send is zlib in form only (stored blocks): it is a few dozen bytes a stream.
import { concatBytes } from "../../std/concat-bytes.ts";
import { InflateError, Inflater } from "../../std/inflate.ts";
import { decodeUtf8, encodeUtf8 } from "../../std/utf8.ts";
import { headerDictionary, headerDictionaryId } from "./header-dictionary.ts";
import { SpdyError } from "./spdy-error.ts";

export type Headers = ReadonlyMap<string, string>;

/** What one block may unpack to. */
const blockBytesMax = 65_536;
const zlibHeaderBytes = 6;

export class HeaderReader {
  readonly #inflater = new Inflater(headerDictionary, blockBytesMax);
  #begun = false;

  /** Throws SpdyError: the connection cannot go on then. */
  read(packed: Uint8Array): Headers {
    try {
      return parseBlock(this.#inflater.inflate(this.#begun ? packed : this.#afterHeader(packed)));
    } catch (error) {
      if (error instanceof InflateError) throw new SpdyError(`a header block: ${error.message}`);
      throw error;
    }
  }

  #afterHeader(packed: Uint8Array): Uint8Array {
    this.#begun = true;
    const view = viewOf(packed);
    const named = packed.length >= zlibHeaderBytes && ((packed[1] ?? 0) & 0x20) !== 0;
    if (!named || view.getUint32(2) !== headerDictionaryId)
      throw new SpdyError("a header block is packed with another dictionary");
    return packed.subarray(zlibHeaderBytes);
  }
}

export class HeaderWriter {
  #begun = false;

  /** `headers` fit in 64 KiB. */
  write(headers: Headers): Uint8Array {
    // Go's reader hands out what is stored only when an empty block, a flush, follows.
    const packed = concatBytes([storedBlock(formatBlock(headers)), storedBlock(new Uint8Array(0))]);
    if (this.#begun) return packed;
    this.#begun = true;
    return concatBytes([zlibHeader(), packed]);
  }
}

function storedBlock(bytes: Uint8Array): Uint8Array {
  const block = new Uint8Array(5 + bytes.length);
  const view = viewOf(block);
  view.setUint16(1, bytes.length, true);
  view.setUint16(3, ~bytes.length & 0xffff, true);
  block.set(bytes, 5);
  return block;
}

/** Deflate, a 32 KiB window, a dictionary; the second byte makes the first two a multiple of 31. */
function zlibHeader(): Uint8Array {
  const header = Uint8Array.of(0x78, 0x20, 0, 0, 0, 0);
  header[1] = 0x20 + (31 - ((0x78 * 256 + 0x20) % 31));
  viewOf(header).setUint32(2, headerDictionaryId);
  return header;
}

function parseBlock(block: Uint8Array): Headers {
  const headers = new Map<string, string>();
  const view = viewOf(block);
  let at = 0;
  const number = (): number => {
    if (at + 4 > block.length) throw new SpdyError("a header block is too short");
    at += 4;
    return view.getUint32(at - 4);
  };
  const text = (): string => {
    const length = number();
    if (at + length > block.length) throw new SpdyError("a header block is too short");
    at += length;
    return decodeUtf8(block.subarray(at - length, at));
  };
  for (let left = number(); left > 0; left--) {
    const name = text();
    headers.set(name.toLowerCase(), text());
  }
  return headers;
}

function formatBlock(headers: Headers): Uint8Array {
  const parts = [numberBytes(headers.size)];
  for (const entry of headers)
    for (const text of entry) {
      const bytes = encodeUtf8(text);
      parts.push(numberBytes(bytes.length), bytes);
    }
  return concatBytes(parts);
}

function numberBytes(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  viewOf(bytes).setUint32(0, value);
  return bytes;
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}
