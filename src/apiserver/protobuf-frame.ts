// The envelope of a protobuf list that is streamed: what precedes and follows its items, given their length.
// Everything typed is api/codec/protobuf.ts's business.
import { joinBytes } from "./json-bytes.ts";
import { encodeUtf8 } from "../std/utf8.ts";

/** `k8s\0`, which opens every protobuf answer. */
const magic = new Uint8Array([0x6b, 0x38, 0x73, 0x00]);

function varintLength(value: number): number {
  let length = 1;
  for (let rest = value; rest > 127; rest = Math.floor(rest / 128)) length++;
  return length;
}

function varint(value: number): Uint8Array {
  const bytes = new Uint8Array(varintLength(value));
  let rest = value;
  for (let i = 0; i < bytes.length; i++) {
    const low = rest % 128;
    rest = Math.floor(rest / 128);
    bytes[i] = rest > 0 ? low | 128 : low;
  }
  return bytes;
}

/** Field 1 to 15 holding bytes: tag, length, content. */
export function bytesField(number: number, content: Uint8Array): Uint8Array {
  return joinBytes([bytesFieldHead(number, content.length), content]);
}

export function bytesFieldHead(number: number, length: number): Uint8Array {
  return joinBytes([new Uint8Array([(number << 3) | 2]), varint(length)]);
}

/** What precedes `rawLength` bytes of the message inside runtime.Unknown. */
export function envelopeHead(kind: string, apiVersion: string, rawLength: number): Uint8Array {
  const typeMeta = joinBytes([
    bytesField(1, encodeUtf8(apiVersion)),
    bytesField(2, encodeUtf8(kind)),
  ]);
  return joinBytes([magic, bytesField(1, typeMeta), bytesFieldHead(2, rawLength)]);
}

/** Empty contentEncoding and contentType. */
export const envelopeTail: Uint8Array = new Uint8Array([0x1a, 0, 0x22, 0]);
