// Scalars on the protobuf wire: for each scalar word of the schema its wire type, and how to read and write the value that
// JSON shows. Times, quantities, int-or-strings and raw JSON are small messages there.
import { decodeBase64, encodeBase64 } from "../../std/base64.ts";
import { parseJson, stringifyJson } from "../../std/json.ts";
import { decodeUtf8, encodeUtf8 } from "../../std/utf8.ts";
import { DecodeError } from "./decode-error.ts";
import {
  eachField,
  wireBytes,
  wireFixed64,
  type WireReader,
  wireVarint,
  type WireWriter,
  writeMessage,
} from "./protobuf-wire.ts";
import {
  formatDuration,
  formatMicroTime,
  formatTime,
  type Instant,
  parseDuration,
  parseMicroTime,
  parseTime,
} from "./time.ts";

export interface WireScalar {
  readonly wireType: number;
  read(reader: WireReader): unknown;
  /** `value` is normal (normalize.ts). Writes backwards, without the tag. */
  write(writer: WireWriter, value: unknown): void;
}

/** How one message type is read and written. */
export interface MessagePlan {
  /** Reads fields up to the reader's end. */
  read(reader: WireReader, target: Record<string, unknown>): void;
  /** Writes backwards, without length or tag. */
  write(writer: WireWriter, source: Readonly<Record<string, unknown>>): void;
}

/** What a raw value holds when it is no JSON: a whole protobuf envelope (protobuf.ts). */
export type EnvelopeReader = (bytes: Uint8Array) => unknown;

/** `k8s` and NUL: what every protobuf body starts with. */
export const envelopePrefix: readonly number[] = [0x6b, 0x38, 0x73, 0x00];

export function isEnvelope(bytes: Uint8Array): boolean {
  return envelopePrefix.every((byte, index) => bytes[index] === byte);
}

/** By the schema's word; the JSONSchemaProps unions are not among them (protobuf-unions.ts). */
export function wireScalars(readEnvelope: EnvelopeReader): Readonly<Record<string, WireScalar>> {
  const raw: WireScalar = {
    wireType: wireBytes,
    read: (reader) => {
      let content: Uint8Array = new Uint8Array(0);
      eachField(reader, [wireBytes], () => (content = reader.raw()));
      return readRaw(content, readEnvelope);
    },
    write: (writer, value) =>
      writeMessage(writer, () => {
        if (value === null) return;
        writer.raw(encodeUtf8(stringifyJson(value)));
        writer.tag(1, wireBytes);
      }),
  };
  return { ...plain, json: raw, rawExtension: raw };
}

const int: Pick<WireScalar, "wireType" | "write"> = {
  wireType: wireVarint,
  write: (writer, value) => writer.int(value as number | bigint),
};

const plain: Readonly<Record<string, WireScalar>> = {
  string: {
    wireType: wireBytes,
    read: (reader) => reader.string(),
    write: (writer, value) => writer.string(value as string),
  },
  bool: {
    wireType: wireVarint,
    read: (reader) => reader.bool(),
    write: (writer, value) => writer.bool(value as boolean),
  },
  int32: { ...int, read: (reader) => reader.int32() },
  uint32: { ...int, read: (reader) => reader.uint32() },
  int64: { ...int, read: (reader) => reader.int64() },
  double: {
    wireType: wireFixed64,
    read: (reader) => reader.double(),
    write: (writer, value) => writer.double(value as number),
  },
  bytes: {
    wireType: wireBytes,
    read: (reader) => encodeBase64(reader.raw()),
    write: (writer, value) => writer.raw(decodeBase64(value as string)),
  },
  time: timeScalar(formatTime, parseTime),
  microTime: timeScalar(formatMicroTime, parseMicroTime),
  duration: { wireType: wireBytes, read: readDuration, write: writeDuration },
  quantity: { wireType: wireBytes, read: readQuantity, write: writeQuantity },
  intOrString: { wireType: wireBytes, read: readIntOrString, write: writeIntOrString },
  stringList: { wireType: wireBytes, read: readStringList, write: writeStringList },
};

function timeScalar(
  format: (instant: Instant) => string | null,
  parse: (text: string) => Instant,
): WireScalar {
  return {
    wireType: wireBytes,
    read: (reader) => {
      let seconds: number | bigint = 0;
      let nanos = 0;
      // An empty message is the zero time.
      let isZero = true;
      eachField(reader, [wireVarint, wireVarint], (field) => {
        isZero = false;
        if (field === 1) seconds = reader.int64();
        else nanos = reader.int32();
      });
      return isZero ? null : format(instantOf(seconds, nanos));
    },
    write: (writer, value) =>
      writeMessage(writer, () => {
        if (value === null) return;
        const { seconds, nanos } = parse(value as string);
        writer.int(nanos);
        writer.tag(2, wireVarint);
        writer.int(seconds);
        writer.tag(1, wireVarint);
      }),
  };
}

/** The years 0 to 9999, all that RFC 3339 can say. */
const secondsMin = -62_167_219_200;
const secondsMax = 253_402_300_799;

function instantOf(seconds: number | bigint, nanos: number): Instant {
  if (seconds < secondsMin || seconds > secondsMax || nanos < 0 || nanos > 999_999_999)
    throw new DecodeError(`timestamp: seconds:${seconds} nanos:${nanos} out of range`);
  return { seconds: Number(seconds), nanos };
}

function readDuration(reader: WireReader): string {
  let nanos: number | bigint = 0;
  eachField(reader, [wireVarint], () => (nanos = reader.int64()));
  return formatDuration(BigInt(nanos));
}

function writeDuration(writer: WireWriter, value: unknown): void {
  writeMessage(writer, () => {
    writer.int(parseDuration(value as string));
    writer.tag(1, wireVarint);
  });
}

function readQuantity(reader: WireReader): string {
  let text = "0";
  eachField(reader, [wireBytes], () => (text = reader.string()));
  return text;
}

function writeQuantity(writer: WireWriter, value: unknown): void {
  writeMessage(writer, () => {
    writer.string(value as string);
    writer.tag(1, wireBytes);
  });
}

function readIntOrString(reader: WireReader): number | string {
  let type = 0;
  let number = 0;
  let text = "";
  eachField(reader, [wireVarint, wireVarint, wireBytes], (field) => {
    if (field === 1) type = reader.int32();
    else if (field === 2) number = reader.int32();
    else text = reader.string();
  });
  return type === 0 ? number : text;
}

function writeIntOrString(writer: WireWriter, value: unknown): void {
  writeMessage(writer, () => {
    const isText = typeof value === "string";
    writer.string(isText ? value : "");
    writer.tag(3, wireBytes);
    writer.int(isText ? 0 : (value as number));
    writer.tag(2, wireVarint);
    writer.int(isText ? 1 : 0);
    writer.tag(1, wireVarint);
  });
}

function readStringList(reader: WireReader): string[] {
  const items: string[] = [];
  eachField(reader, [wireBytes], () => items.push(reader.string()));
  return items;
}

function writeStringList(writer: WireWriter, value: unknown): void {
  writeMessage(writer, () => {
    for (const item of (value as string[]).toReversed()) {
      writer.string(item);
      writer.tag(1, wireBytes);
    }
  });
}

function readRaw(content: Uint8Array, readEnvelope: EnvelopeReader): unknown {
  if (content.length === 0) return null;
  if (isEnvelope(content)) return readEnvelope(content);
  try {
    return parseJson(decodeUtf8(content));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new DecodeError(error.message);
  }
}
