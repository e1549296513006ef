// Writes a protobuf message into one growing buffer. Zero values are left out, as proto3 does.

const firstCapacity = 64 * 1024;
/** Bytes kept free for a message's length before it is known; longer lengths move the message up. */
const lengthGuess = 1;
const lengthDelimited = 2;
const varint = 0;

export class MessageWriter {
  #bytes = new Uint8Array(firstCapacity);
  #length = 0;
  readonly #encoder = new TextEncoder();

  string(field: number, value: string | undefined): void {
    if (value === undefined || value === "") return;
    this.#tag(field, lengthDelimited);
    // UTF-8 takes at most three bytes a UTF-16 unit.
    this.#reserve(value.length * 3 + 5);
    const start = this.#length + lengthGuess;
    const { written } = this.#encoder.encodeInto(value, this.#bytes.subarray(start));
    this.#closeLength(start, written);
  }

  bool(field: number, value: boolean): void {
    if (!value) return;
    this.#tag(field, varint);
    this.#varint(1);
  }

  /** Whatever `write` writes becomes the message of the field. */
  message(field: number, write: () => void): void {
    this.#tag(field, lengthDelimited);
    this.#reserve(lengthGuess);
    this.#length += lengthGuess;
    const start = this.#length;
    write();
    this.#closeLength(start, this.#length - start);
  }

  finish(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  /** Puts the length of the `size` bytes at `start` before them. */
  #closeLength(start: number, size: number): void {
    this.#reserve(size + 5);
    let width = 1;
    for (let rest = size; rest > 0x7f; rest >>>= 7) width += 1;
    if (width > lengthGuess)
      this.#bytes.copyWithin(start + width - lengthGuess, start, start + size);
    this.#length = start - lengthGuess;
    this.#varint(size);
    this.#length += size;
  }

  #tag(field: number, wireType: number): void {
    this.#varint((field << 3) | wireType);
  }

  #varint(value: number): void {
    this.#reserve(5);
    let rest = value;
    while (rest > 0x7f) {
      this.#bytes[this.#length++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.#bytes[this.#length++] = rest;
  }

  #reserve(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }
}
