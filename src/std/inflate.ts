// Inflate (RFC 1951) in steps: a stream that was flushed at byte boundaries comes in pieces, and each piece may refer to
// what the ones before it unpacked. Small and slow on purpose: it serves headers, not files.

export class InflateError extends Error {
  override readonly name = "InflateError";
}

const windowBytes = 32_768;
const bitsMax = 15;
const lengthBase = [
  3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131,
  163, 195, 227, 258,
];
const lengthExtra = [
  0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
];
const distanceBase = [
  1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049,
  3073, 4097, 6145, 8193, 12289, 16385, 24577,
];
const distanceExtra = [
  0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13,
];
const codeLengthOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

export class Inflater {
  readonly #outputMax: number;
  /** What later pieces may refer to. */
  #window: Uint8Array;

  /** `outputMax` bounds what one piece may unpack to. */
  constructor(dictionary: Uint8Array, outputMax: number) {
    this.#window = dictionary.slice(-windowBytes);
    this.#outputMax = outputMax;
  }

  /** Whole blocks, up to a flush. Throws InflateError; the stream is lost then. */
  inflate(piece: Uint8Array): Uint8Array {
    const bits = new BitReader(piece);
    const output = new Output(this.#window, this.#outputMax);
    while (!bits.isAtEnd) readBlock(bits, output);
    const all = output.all();
    const unpacked = all.slice(this.#window.length);
    this.#window = all.slice(-windowBytes);
    return unpacked;
  }
}

class BitReader {
  readonly #bytes: Uint8Array;
  #at = 0;
  #held = 0;
  #count = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Less than a byte may be left over: padding. */
  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length && this.#count < 8;
  }

  take(count: number): number {
    while (this.#count < count) {
      const next = this.#bytes[this.#at++];
      if (next === undefined) throw new InflateError("the data ends in the middle of a block");
      this.#held |= next << this.#count;
      this.#count += 8;
    }
    const value = this.#held & ((1 << count) - 1);
    this.#held >>>= count;
    this.#count -= count;
    return value;
  }

  /** From the next byte boundary on. */
  bytes(readLength: () => number): Uint8Array {
    this.take(this.#count & 7);
    const length = readLength();
    // `take` never holds a whole byte more than it was asked for.
    const bytes = this.#bytes.subarray(this.#at, this.#at + length);
    if (bytes.length < length) throw new InflateError("the data ends in the middle of a block");
    this.#at += length;
    return bytes;
  }
}

class Output {
  readonly #max: number;
  #bytes: Uint8Array;
  #size: number;

  constructor(before: Uint8Array, outputMax: number) {
    this.#max = before.length + outputMax;
    this.#bytes = new Uint8Array(before.length + 1_024);
    this.#bytes.set(before);
    this.#size = before.length;
  }

  append(bytes: Uint8Array): void {
    this.#grow(bytes.length);
    this.#bytes.set(bytes, this.#size);
    this.#size += bytes.length;
  }

  byte(value: number): void {
    this.#grow(1);
    this.#bytes[this.#size++] = value;
  }

  /** Byte by byte: what is copied may be what this copy wrote. */
  copy(distance: number, length: number): void {
    if (distance > this.#size) throw new InflateError("a distance leads before the beginning");
    this.#grow(length);
    for (let left = length; left > 0; left--) {
      this.#bytes[this.#size] = this.#bytes[this.#size - distance] ?? 0;
      this.#size++;
    }
  }

  all(): Uint8Array {
    return this.#bytes.subarray(0, this.#size);
  }

  #grow(more: number): void {
    const wanted = this.#size + more;
    if (wanted > this.#max) throw new InflateError("the data unpacks to too much");
    if (wanted <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(wanted, 2 * this.#bytes.length));
    larger.set(this.all());
    this.#bytes = larger;
  }
}

function readBlock(bits: BitReader, output: Output): void {
  bits.take(1);
  const type = bits.take(2);
  if (type === 0) return output.append(storedBlock(bits));
  if (type === 1) return codedBlock(bits, output, fixedCodes());
  if (type === 2) return codedBlock(bits, output, readCodes(bits));
  throw new InflateError("unknown kind of block");
}

function storedBlock(bits: BitReader): Uint8Array {
  return bits.bytes(() => {
    const length = bits.take(16);
    if ((length ^ bits.take(16)) !== 0xffff) throw new InflateError("a length contradicts itself");
    return length;
  });
}

/** Canonical Huffman: how many codes of each length, and the symbols in the order of their codes. */
interface Code {
  readonly counts: readonly number[];
  readonly symbols: readonly number[];
}

interface Codes {
  readonly literals: Code;
  readonly distances: Code;
}

function codeOf(lengths: readonly number[]): Code {
  const counts = Array.from({ length: bitsMax + 1 }, () => 0);
  for (const length of lengths) if (length > 0) counts[length] = (counts[length] ?? 0) + 1;
  const symbols: number[] = [];
  for (let length = 1; length <= bitsMax; length++)
    lengths.forEach((one, symbol) => {
      if (one === length) symbols.push(symbol);
    });
  return { counts, symbols };
}

function fixedCodes(): Codes {
  const lengths = Array.from({ length: 288 }, (_, symbol) =>
    symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8,
  );
  return { literals: codeOf(lengths), distances: codeOf(Array.from({ length: 30 }, () => 5)) };
}

function readCodes(bits: BitReader): Codes {
  const literals = bits.take(5) + 257;
  const distances = bits.take(5) + 1;
  const lengthCodes = bits.take(4) + 4;
  const short = Array.from({ length: 19 }, () => 0);
  for (const symbol of codeLengthOrder.slice(0, lengthCodes)) short[symbol] = bits.take(3);
  const lengths = readLengths(bits, codeOf(short), literals + distances);
  return {
    literals: codeOf(lengths.slice(0, literals)),
    distances: codeOf(lengths.slice(literals)),
  };
}

function readLengths(bits: BitReader, code: Code, wanted: number): number[] {
  const lengths: number[] = [];
  while (lengths.length < wanted) {
    const symbol = symbolOf(bits, code);
    if (symbol < 16) lengths.push(symbol);
    else {
      const value = symbol === 16 ? lengths.at(-1) : 0;
      if (value === undefined) throw new InflateError("a length repeats nothing");
      const times =
        symbol === 16 ? 3 + bits.take(2) : symbol === 17 ? 3 + bits.take(3) : 11 + bits.take(7);
      for (let left = times; left > 0; left--) lengths.push(value);
    }
  }
  if (lengths.length > wanted) throw new InflateError("too many lengths");
  return lengths;
}

function symbolOf(bits: BitReader, { counts, symbols }: Code): number {
  let code = 0;
  let first = 0;
  let index = 0;
  for (let length = 1; length <= bitsMax; length++) {
    code |= bits.take(1);
    const count = counts[length] ?? 0;
    if (code - count < first) return symbols[index + code - first] ?? 0;
    index += count;
    first = (first + count) << 1;
    code <<= 1;
  }
  throw new InflateError("unknown code");
}

function codedBlock(bits: BitReader, output: Output, { literals, distances }: Codes): void {
  for (;;) {
    const symbol = symbolOf(bits, literals);
    if (symbol === 256) return;
    if (symbol < 256) output.byte(symbol);
    else {
      const length = extended(bits, symbol - 257, { base: lengthBase, extra: lengthExtra });
      const distance = extended(bits, symbolOf(bits, distances), {
        base: distanceBase,
        extra: distanceExtra,
      });
      output.copy(distance, length);
    }
  }
}

function extended(
  bits: BitReader,
  index: number,
  { base, extra }: { readonly base: readonly number[]; readonly extra: readonly number[] },
): number {
  const from = base[index];
  if (from === undefined) throw new InflateError("unknown length or distance");
  return from + bits.take(extra[index] ?? 0);
}
