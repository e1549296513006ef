// The protobuf wire format, bounds checked: varints of 64 bits, length-delimited fields, doubles. Knows no message.
// Errors read like gogo/protobuf's. int64 values beyond 2^53 are bigint, as everywhere.
import { DecodeError } from "./decode-error.ts";
import { decodeUtf8, encodeUtf8 } from "../../std/utf8.ts";

export const wireVarint = 0;
export const wireFixed64 = 1;
export const wireBytes = 2;
const wireStartGroup = 3;
const wireEndGroup = 4;
const wireFixed32 = 5;

/** Below this, building a string by hand beats TextDecoder. */
const shortStringBytes = 8;

/** Deepest nesting of messages; JSONSchemaProps is the only type that nests itself. */
const depthMax = 400;
const two32 = 4_294_967_296;
/** Largest high word for which high * 2^32 + low is a safe integer. */
const safeHigh = 0x1f_ffff;

export class WireReader {
  readonly bytes: Uint8Array;
  at: number;
  end: number;
  private depth = 0;
  /** Of the last varint. */
  private low = 0;
  private high = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.at = 0;
    this.end = bytes.length;
  }

  /** The field's tag: number * 8 + wire type. */
  tag(): number {
    this.varint();
    if (this.high !== 0) throw new DecodeError("proto: integer overflow");
    const number = this.low >>> 3;
    if (number === 0)
      throw new DecodeError(`proto: illegal tag ${number} (wire type ${this.low & 7})`);
    return this.low;
  }

  bool(): boolean {
    this.varint();
    return this.low !== 0 || this.high !== 0;
  }

  int32(): number {
    this.varint();
    return this.low | 0;
  }

  uint32(): number {
    this.varint();
    return this.low;
  }

  int64(): number | bigint {
    this.varint();
    const { low, high } = this;
    if (high <= safeHigh) return high * two32 + low;
    const signed = high | 0;
    if (signed < 0 && signed >= -safeHigh - 1) {
      const value = signed * two32 + low;
      if (Number.isSafeInteger(value)) return value;
    }
    return BigInt.asIntN(64, (BigInt(high) << 32n) | BigInt(low));
  }

  double(): number {
    if (this.at + 8 > this.end) throw endOfInput();
    const view = new DataView(this.bytes.buffer, this.bytes.byteOffset + this.at, 8);
    this.at += 8;
    return view.getFloat64(0, true);
  }

  /** Index behind the length-delimited field that starts here; `at` is then its first byte. */
  delimited(): number {
    this.varint();
    const end = this.at + this.low;
    if (this.high !== 0 || end > this.end) throw endOfInput();
    return end;
  }

  string(): string {
    const end = this.delimited();
    const start = this.at;
    this.at = end;
    if (end - start > shortStringBytes) return decodeUtf8(this.bytes.subarray(start, end));
    let text = "";
    for (let index = start; index < end; index++) {
      const byte = this.bytes[index]!;
      if (byte > 0x7f) return decodeUtf8(this.bytes.subarray(start, end));
      text += String.fromCharCode(byte);
    }
    return text;
  }

  /** A view, not a copy. */
  raw(): Uint8Array {
    const end = this.delimited();
    const view = this.bytes.subarray(this.at, end);
    this.at = end;
    return view;
  }

  /** Runs `read` with the end set to that of the length-delimited field that starts here. */
  within(read: () => void): void {
    const end = this.delimited();
    const outer = this.end;
    if (++this.depth > depthMax) throw new DecodeError("exceeded max depth");
    this.end = end;
    read();
    this.end = outer;
    this.at = end;
    this.depth--;
  }

  skip(wireType: number): void {
    let groups = 0;
    let type = wireType;
    for (;;) {
      if (type === wireStartGroup) groups++;
      else if (type === wireEndGroup) {
        if (groups === 0) throw new DecodeError("proto: unexpected end of group");
        groups--;
      } else this.skipValue(type);
      if (groups === 0) return;
      type = this.tag() & 7;
    }
  }

  private skipValue(wireType: number): void {
    if (wireType === wireVarint) return this.varint();
    if (wireType === wireBytes) {
      this.at = this.delimited();
      return;
    }
    if (wireType !== wireFixed64 && wireType !== wireFixed32)
      throw new DecodeError(`proto: illegal wireType ${wireType}`);
    this.at += wireType === wireFixed64 ? 8 : 4;
    if (this.at > this.end) throw endOfInput();
  }

  private varint(): void {
    let low = 0;
    let high = 0;
    for (let shift = 0; ; shift += 7) {
      if (this.at >= this.end) throw endOfInput();
      if (shift >= 70) throw new DecodeError("proto: integer overflow");
      const byte = this.bytes[this.at++]!;
      const part = byte & 0x7f;
      if (shift < 28) low |= part << shift;
      else if (shift === 28) {
        low |= part << 28;
        high |= part >> 4;
      } else if (shift < 63) high |= part << (shift - 32);
      else high |= (part & 1) << 31;
      if (byte < 0x80) break;
    }
    this.low = low >>> 0;
    this.high = high >>> 0;
  }
}

function endOfInput(): DecodeError {
  return new DecodeError("unexpected EOF");
}

const initialBytes = 4_096;

/** Writes from the back, so that a message's length is known when its prefix is due. Last field first. */
export class WireWriter {
  private bytes = new Uint8Array(initialBytes);
  private at = initialBytes;

  /** How much was written. */
  get length(): number {
    return this.bytes.length - this.at;
  }

  /** The bytes in reading order. */
  finish(): Uint8Array {
    return this.bytes.slice(this.at);
  }

  tag(field: number, wireType: number): void {
    this.uint32((field << 3) | wireType);
  }

  bool(value: boolean): void {
    this.reserve(1);
    this.bytes[--this.at] = value ? 1 : 0;
  }

  /** Negative values take ten bytes, as protobuf has it. */
  int(value: number | bigint): void {
    if (typeof value === "number" && value >= 0 && value < two32) return this.uint32(value);
    let rest = BigInt.asUintN(64, BigInt(value));
    const groups: number[] = [];
    do {
      groups.push(Number(rest & 0x7fn));
      rest >>= 7n;
    } while (rest > 0n);
    this.reserve(groups.length);
    this.at -= groups.length;
    groups.forEach((group, index) => {
      this.bytes[this.at + index] = index < groups.length - 1 ? group | 0x80 : group;
    });
  }

  double(value: number): void {
    this.reserve(8);
    this.at -= 8;
    new DataView(this.bytes.buffer).setFloat64(this.at, value, true);
  }

  /** With its length in front. */
  string(text: string): void {
    const { length } = text;
    this.reserve(length);
    const start = this.at - length;
    for (let index = 0; index < length; index++) {
      const code = text.charCodeAt(index);
      if (code > 0x7f) return this.raw(encodeUtf8(text));
      this.bytes[start + index] = code;
    }
    this.at = start;
    this.uint32(length);
  }

  /** With its length in front. */
  raw(content: Uint8Array): void {
    this.append(content);
    this.uint32(content.length);
  }

  /** Without a length. */
  append(content: Uint8Array): void {
    this.reserve(content.length);
    this.at -= content.length;
    this.bytes.set(content, this.at);
  }

  /** Writes the length of what was written since `length` was `before`. */
  lengthSince(before: number): void {
    this.uint32(this.length - before);
  }

  private uint32(value: number): void {
    this.reserve(5);
    let size = 1;
    for (let rest = value >>> 7; rest > 0; rest >>>= 7) size++;
    this.at -= size;
    let to = this.at;
    let rest = value >>> 0;
    for (; rest > 0x7f; rest >>>= 7) this.bytes[to++] = (rest & 0x7f) | 0x80;
    this.bytes[to] = rest;
  }

  private reserve(count: number): void {
    if (this.at >= count) return;
    const used = this.length;
    const grown = new Uint8Array(Math.max(this.bytes.length * 2, used + count));
    grown.set(this.bytes.subarray(this.at), grown.length - used);
    this.bytes = grown;
    this.at = grown.length - used;
  }
}

/**
 * Reads the small message that starts here: `take` is called for each field, which has the wire type
 * `wireTypes[field - 1]`; fields beyond are skipped.
 */
export function eachField(
  reader: WireReader,
  wireTypes: readonly number[],
  take: (field: number) => void,
): void {
  reader.within(() => {
    while (reader.at < reader.end) {
      const tag = reader.tag();
      const field = tag >>> 3;
      const wireType = wireTypes[field - 1];
      if (wireType === undefined) reader.skip(tag & 7);
      else {
        requireWireType(tag, wireType, String(field));
        take(field);
      }
    }
  });
}

export function requireWireType(tag: number, wireType: number, field: string): void {
  if ((tag & 7) !== wireType)
    throw new DecodeError(`proto: wrong wireType = ${tag & 7} for field ${field}`);
}

/** Writes what `write` writes as a message: with its length in front. */
export function writeMessage(writer: WireWriter, write: () => void): void {
  const before = writer.length;
  write();
  writer.lengthSince(before);
}
