// The protobuf wire format as far as etcd's messages need it: varints, bytes and nested messages. Numbers are
// JavaScript numbers up to 2^53, which revisions, counts and TTLs never leave; ids of 64 bits go through bigint.

const minCapacity = 256;
const varintBytesMax = 10;

export class ProtoWriter {
  #bytes: Buffer;
  #length = 0;

  constructor(capacity = minCapacity) {
    this.#bytes = Buffer.allocUnsafe(Math.max(capacity, minCapacity));
  }

  finish(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Leaves 0 out, as proto3 does. */
  number(field: number, value: number): this {
    if (value === 0) return this;
    this.#reserve(varintBytesMax * 2);
    this.#varint(field * 8);
    this.#varint(value);
    return this;
  }

  /** A non-negative 64-bit integer. */
  bigint(field: number, value: bigint): this {
    if (value === 0n) return this;
    this.#reserve(varintBytesMax * 2);
    this.#varint(field * 8);
    let rest = BigInt.asUintN(64, value);
    for (; rest > 0x7fn; rest >>= 7n) this.#bytes[this.#length++] = Number(rest & 0x7fn) | 0x80;
    this.#bytes[this.#length++] = Number(rest);
    return this;
  }

  bool(field: number, value: boolean): this {
    return this.number(field, value ? 1 : 0);
  }

  /** Written also when empty: in a list and in a oneof presence counts. */
  bytes(field: number, value: Uint8Array): this {
    this.#reserve(varintBytesMax * 2 + value.length);
    this.#varint(field * 8 + 2);
    this.#varint(value.length);
    this.#bytes.set(value, this.#length);
    this.#length += value.length;
    return this;
  }

  text(field: number, value: string): this {
    const length = Buffer.byteLength(value);
    this.#reserve(varintBytesMax * 2 + length);
    this.#varint(field * 8 + 2);
    this.#varint(length);
    this.#length += this.#bytes.write(value, this.#length, "utf8");
    return this;
  }

  #varint(value: number): void {
    let rest = value;
    while (rest > 0x7f) {
      this.#bytes[this.#length++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.#bytes[this.#length++] = rest;
  }

  #reserve(count: number): void {
    const needed = this.#length + count;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}

/** Reads one message; `bytes` results are views of the input. Throws RangeError on cut-off input. */
export class ProtoReader {
  readonly #bytes: Buffer;
  readonly #end: number;
  #at: number;
  #wireType = 0;

  constructor(bytes: Buffer, start = 0, end: number = bytes.length) {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
  }

  /** The next field's number; 0 at the end. Its value is then read by one of the calls below, or skipped. */
  next(): number {
    if (this.#at >= this.#end) return 0;
    const tag = this.number();
    this.#wireType = tag & 7;
    return tag >>> 3;
  }

  number(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 0x80) {
      const byte = this.#byte();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  }

  bigint(): bigint {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = this.#byte();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asIntN(64, value);
    }
  }

  bytes(): Buffer {
    const [start, end] = this.#span();
    return this.#bytes.subarray(start, end);
  }

  text(): string {
    const [start, end] = this.#span();
    return this.#bytes.toString("utf8", start, end);
  }

  message(): ProtoReader {
    const [start, end] = this.#span();
    return new ProtoReader(this.#bytes, start, end);
  }

  skip(): void {
    if (this.#wireType === 0) this.number();
    else if (this.#wireType === 2) this.#span();
    else this.#move(this.#wireType === 1 ? 8 : 4);
  }

  #byte(): number {
    if (this.#at >= this.#end) throw new RangeError("protobuf message is cut off");
    return this.#bytes[this.#at++]!;
  }

  #span(): [number, number] {
    const length = this.number();
    const start = this.#at;
    this.#move(length);
    return [start, this.#at];
  }

  #move(count: number): void {
    if (this.#at + count > this.#end) throw new RangeError("protobuf message is cut off");
    this.#at += count;
  }
}
