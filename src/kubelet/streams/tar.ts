// Tar archives as `kubectl cp` makes and reads them: ustar, with pax headers for long names (POSIX.1-2001); GNU's long names
// are read too. Pure.
import { concatBytes } from "../../std/concat-bytes.ts";
import { decodeUtf8, encodeUtf8 } from "../../std/utf8.ts";
import type { FileEntry } from "./file-tree.ts";

export const tarBlockBytes = 512;

export interface TarHeader {
  readonly name: string;
  readonly kind: "file" | "folder" | "pax" | "long name" | "other";
  readonly mode: number;
  readonly size: number;
  readonly modified: number;
}

export const tarEnd: Uint8Array = new Uint8Array(2 * tarBlockBytes);

/** The header, and the content padded to whole blocks. */
export function tarEntry({ path, bytes, mode, modified }: FileEntry, name: string): Uint8Array {
  const isFolder = bytes === undefined;
  const full = isFolder && path !== "/" ? `${name}/` : name;
  const content = bytes ?? new Uint8Array(0);
  const attributes = { type: isFolder ? "5" : "0", mode, modified };
  const nameBytes = encodeUtf8(full);
  if (nameBytes.length <= 100)
    return concatBytes([header(nameBytes, content.length, attributes), padded(content)]);
  const record = paxRecord("path", full);
  return concatBytes([
    header(encodeUtf8("pax"), record.length, { type: "x", mode: 0o644, modified }),
    padded(record),
    header(nameBytes.subarray(0, 100), content.length, attributes),
    padded(content),
  ]);
}

/** Undefined at the end of the archive; throws RangeError for what is no header. */
export function readTarHeader(block: Uint8Array): TarHeader | undefined {
  if (block.every((byte) => byte === 0)) return undefined;
  if (octal(block, 148, 8) !== checksum(block)) throw new RangeError("no tar header");
  const prefix = text(block, 257, 5) === "ustar" ? text(block, 345, 155) : "";
  const name = text(block, 0, 100);
  return {
    name: prefix === "" ? name : `${prefix}/${name}`,
    kind: kindOf(text(block, 156, 1)),
    mode: octal(block, 100, 8) & 0o7777,
    size: octal(block, 124, 12),
    modified: octal(block, 136, 12),
  };
}

/** The path that a pax header or GNU's long name gives the entry after it. */
export function longNameOf(kind: TarHeader["kind"], content: Uint8Array): string | undefined {
  if (kind === "long name") return decodeUtf8(content).replace(/\0+$/, "");
  for (let at = 0; at < content.length;) {
    const space = content.indexOf(32, at);
    const length = Number(decodeUtf8(content.subarray(at, space)));
    if (space < 0 || !(length > 0)) return undefined;
    const record = decodeUtf8(content.subarray(space + 1, at + length - 1));
    if (record.startsWith("path=")) return record.slice(5);
    at += length;
  }
  return undefined;
}

export function paddingOf(size: number): number {
  return (tarBlockBytes - (size % tarBlockBytes)) % tarBlockBytes;
}

interface Attributes {
  readonly type: string;
  readonly mode: number;
  readonly modified: number;
}

function header(name: Uint8Array, size: number, { type, mode, modified }: Attributes): Uint8Array {
  const block = new Uint8Array(tarBlockBytes);
  block.set(name);
  const put = (at: number, value: string): void => block.set(encodeUtf8(value), at);
  const number = (at: number, width: number, value: number): void =>
    put(at, `${value.toString(8).padStart(width - 1, "0")}\0`);
  number(100, 8, mode);
  number(108, 8, 0);
  number(116, 8, 0);
  number(124, 12, size);
  number(136, 12, modified);
  put(156, type);
  put(257, "ustar\x0000root");
  put(297, "root");
  put(148, `${checksum(block).toString(8).padStart(6, "0")}\0 `);
  return block;
}

/** With blanks in the place of the checksum itself. */
function checksum(block: Uint8Array): number {
  return block.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 32 : byte), 0);
}

function padded(content: Uint8Array): Uint8Array {
  return concatBytes([content, new Uint8Array(paddingOf(content.length))]);
}

/** Its length counts its own digits. */
function paxRecord(name: string, value: string): Uint8Array {
  const rest = encodeUtf8(` ${name}=${value}\n`);
  let length = rest.length + 1;
  while (String(length).length + rest.length !== length)
    length = rest.length + String(length).length;
  return concatBytes([encodeUtf8(String(length)), rest]);
}

function kindOf(type: string): TarHeader["kind"] {
  if (type === "" || type === "0") return "file";
  if (type === "5") return "folder";
  if (type === "x") return "pax";
  return type === "L" ? "long name" : "other";
}

function text(block: Uint8Array, at: number, width: number): string {
  return decodeUtf8(block.subarray(at, at + width)).replace(/\0[\s\S]*$/, "");
}

function octal(block: Uint8Array, at: number, width: number): number {
  const digits = text(block, at, width).trim();
  return digits === "" ? 0 : Number.parseInt(digits, 8);
}
