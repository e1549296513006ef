// Picks a few paths out of an object's JSON bytes without building the object: parsing all of a full pod costs five
// times as much. What is skipped is only checked for closed strings and balanced brackets, so a torn value is found but
// not every malformed one.
import { encodeUtf8 } from "../std/utf8.ts";

/** Small values repeat a lot (labels of one Deployment, node names, phases): each is parsed and kept once. */
const internedMax = 50_000;
const internedBytesMax = 1_024;

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const backslash = 0x5c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** A step on the way to the wanted values. */
interface PathNode {
  /** The whole value is wanted; `fields` is empty then. */
  readonly whole: boolean;
  readonly fields: readonly PathField[];
}

interface PathField {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly node: PathNode;
}

/** What `read` gives: nested objects that hold the wanted paths and nothing else. Values are shared and read-only. */
export type Sparse = Readonly<Record<string, unknown>>;

export class Projection {
  readonly #root: PathNode;
  readonly #interned = new Map<number, { readonly bytes: Uint8Array; readonly value: unknown }>();
  readonly #decoder = new TextDecoder("utf-8", { fatal: true });
  #bytes: Uint8Array = new Uint8Array();
  #at = 0;

  /** `paths` like `metadata.labels`; the wanted value may be of any type. */
  constructor(paths: readonly string[]) {
    this.#root = pathNode(paths.map((path) => path.split(".")));
  }

  /** Throws SyntaxError when `bytes` are not one JSON object. Of equal keys the last counts, as in JSON.parse. */
  read(bytes: Uint8Array): Sparse {
    this.#bytes = bytes;
    this.#at = 0;
    this.#space();
    if (bytes[this.#at] !== openBrace) throw this.#unexpected();
    const object = this.#object(this.#root);
    this.#space();
    if (this.#at !== bytes.length) throw this.#unexpected();
    return object;
  }

  #object(node: PathNode): Sparse {
    const object: Record<string, unknown> = {};
    this.#at += 1;
    this.#space();
    if (this.#bytes[this.#at] === closeBrace) {
      this.#at += 1;
      return object;
    }
    for (;;) {
      if (this.#bytes[this.#at] !== quote) throw this.#unexpected();
      const field = this.#key(node);
      this.#space();
      if (this.#bytes[this.#at] !== colon) throw this.#unexpected();
      this.#at += 1;
      this.#space();
      if (field === undefined) this.#skipValue();
      else object[field.name] = this.#wanted(field.node);
      this.#space();
      const next = this.#bytes[this.#at];
      if (next !== comma && next !== closeBrace) throw this.#unexpected();
      this.#at += 1;
      if (next === closeBrace) return object;
      this.#space();
    }
  }

  #wanted(node: PathNode): unknown {
    if (!node.whole && this.#bytes[this.#at] === openBrace) return this.#object(node);
    const start = this.#at;
    this.#skipValue();
    return this.#parse(start, this.#at);
  }

  #key(node: PathNode): PathField | undefined {
    const start = this.#at + 1;
    this.#skipString();
    const end = this.#at - 1;
    for (const field of node.fields) {
      if (field.bytes.length === end - start && this.#equals(field.bytes, start)) return field;
    }
    if (node.fields.length === 0 || !this.#escaped(start, end)) return undefined;
    const name = JSON.parse(this.#text(start - 1, end + 1)) as string;
    return node.fields.find((field) => field.name === name);
  }

  #escaped(start: number, end: number): boolean {
    for (let i = start; i < end; i++) if (this.#bytes[i] === backslash) return true;
    return false;
  }

  #equals(expected: Uint8Array, start: number): boolean {
    const bytes = this.#bytes;
    for (let i = 0; i < expected.length; i++) if (bytes[start + i] !== expected[i]) return false;
    return true;
  }

  #parse(start: number, end: number): unknown {
    if (end - start > internedBytesMax) return JSON.parse(this.#text(start, end));
    let hash = 0x811c9dc5;
    const bytes = this.#bytes;
    for (let i = start; i < end; i++) hash = Math.imul(hash ^ bytes[i]!, 0x01000193);
    const known = this.#interned.get(hash);
    if (known?.bytes.length === end - start && this.#equals(known.bytes, start)) return known.value;
    const value: unknown = JSON.parse(this.#text(start, end));
    if (this.#interned.size >= internedMax) this.#interned.clear();
    this.#interned.set(hash, { bytes: bytes.slice(start, end), value });
    return value;
  }

  #text(start: number, end: number): string {
    return this.#decoder.decode(this.#bytes.subarray(start, end));
  }

  #skipValue(): void {
    const first = this.#bytes[this.#at];
    if (first === quote) this.#skipString();
    else if (first === openBrace || first === openBracket) this.#skipNested();
    else this.#skipScalar();
  }

  #skipScalar(): void {
    const bytes = this.#bytes;
    const start = this.#at;
    let at = start;
    while (at < bytes.length && isScalarByte(bytes[at]!)) at += 1;
    this.#at = at;
    if (at === start) throw this.#unexpected();
  }

  #skipString(): void {
    const bytes = this.#bytes;
    const end = bytes.length;
    const at = closingQuote(bytes, this.#at + 1);
    this.#at = at + 1;
    if (at >= end) throw this.#unexpected();
  }

  /** The hot loop: most bytes of an object go through here. */
  #skipNested(): void {
    const bytes = this.#bytes;
    const end = bytes.length;
    let at = this.#at;
    let depth = 0;
    while (at < end) {
      const byte = bytes[at]!;
      at += 1;
      if (byte === quote) {
        at = closingQuote(bytes, at) + 1;
      } else if (byte === openBrace || byte === openBracket) {
        depth += 1;
      } else if (byte === closeBrace || byte === closeBracket) {
        depth -= 1;
        if (depth === 0) break;
      }
    }
    this.#at = at;
    if (depth !== 0 || at > end) throw this.#unexpected();
  }

  #space(): void {
    const bytes = this.#bytes;
    while (isSpace(bytes[this.#at])) this.#at += 1;
  }

  #unexpected(): SyntaxError {
    const place = this.#at >= this.#bytes.length ? "end" : `byte at position ${this.#at}`;
    return new SyntaxError(`unexpected ${place} in JSON`);
  }
}

/** From inside a string to its end; behind the last byte when it has none. */
function closingQuote(bytes: Uint8Array, from: number): number {
  const end = bytes.length;
  let at = from;
  while (at < end) {
    const byte = bytes[at]!;
    if (byte === quote) return at;
    at += byte === backslash ? 2 : 1;
  }
  return end;
}

function pathNode(paths: readonly (readonly string[])[]): PathNode {
  if (paths.some((path) => path.length === 0)) return { whole: true, fields: [] };
  const byName = new Map<string, (readonly string[])[]>();
  for (const [name, ...rest] of paths) {
    const known = byName.get(name!);
    if (known === undefined) byName.set(name!, [rest]);
    else known.push(rest);
  }
  const fields = [...byName].map(([name, rest]) => ({
    name,
    bytes: encodeUtf8(name),
    node: pathNode(rest),
  }));
  return { whole: false, fields };
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function isScalarByte(byte: number): boolean {
  return byte !== comma && byte !== closeBrace && byte !== closeBracket && !isSpace(byte);
}
