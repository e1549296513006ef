// Protobuf for the built-in types: bare messages, the `k8s` envelope around them, and the frames of a watch. Reading gives
// the same normal object that the same value in JSON would give; writing takes normal objects. proto2 without its
// required fields: zero values may be missing on the wire, and we leave them out where JSON does.
import type { GroupVersionKind } from "../schema/schema.ts";
import { DecodeError } from "./decode-error.ts";
import { parseGroupVersion } from "./group-version.ts";
import { findTypeOfKind } from "./message-types.ts";
import { normalize } from "./normalize.ts";
import { MessagePlans } from "./protobuf-messages.ts";
import { envelopePrefix, isEnvelope } from "./protobuf-scalars.ts";
import {
  eachField,
  requireWireType,
  wireBytes,
  WireReader,
  WireWriter,
  writeMessage,
} from "./protobuf-wire.ts";

/** What is inside the `k8s` envelope (upstream: runtime.Unknown). */
export interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  /** The bare message; a view into the bytes given. */
  readonly message: Uint8Array;
}

/** The object, normal but without kind and apiVersion. Throws DecodeError. */
export function decodeProtobuf(typeId: string, bytes: Uint8Array): Record<string, unknown> {
  const raw: Record<string, unknown> = {};
  plans.message(typeId).read(new WireReader(bytes), raw);
  return normalize(typeId, raw) as Record<string, unknown>;
}

/** The bare message of a normal object; kind and apiVersion belong to the envelope. */
export function encodeProtobuf(typeId: string, object: object): Uint8Array {
  const writer = new WireWriter();
  plans.message(typeId).write(writer, object as Record<string, unknown>);
  return writer.finish();
}

export function wrapEnvelope(kind: string, apiVersion: string, message: Uint8Array): Uint8Array {
  const writer = new WireWriter();
  // contentType and contentEncoding are always written by Go, and always empty.
  writer.string("");
  writer.tag(4, wireBytes);
  writer.string("");
  writer.tag(3, wireBytes);
  writer.raw(message);
  writer.tag(2, wireBytes);
  writeMessage(writer, () => {
    writer.string(kind);
    writer.tag(2, wireBytes);
    writer.string(apiVersion);
    writer.tag(1, wireBytes);
  });
  writer.tag(1, wireBytes);
  writer.append(Uint8Array.from(envelopePrefix));
  return writer.finish();
}

/** Throws DecodeError with upstream's texts. */
export function unwrapEnvelope(bytes: Uint8Array): Envelope {
  if (bytes.length === 0) throw new DecodeError("empty data");
  if (!isEnvelope(bytes))
    throw new DecodeError(
      `provided data does not appear to be a protobuf message, expected prefix [${envelopePrefix.join(" ")}]`,
    );
  if (bytes.length === envelopePrefix.length) throw new DecodeError("empty body");
  let message: Uint8Array = new Uint8Array(0);
  const typeMeta = { apiVersion: "", kind: "" };
  const reader = new WireReader(bytes.subarray(envelopePrefix.length));
  while (reader.at < reader.end) {
    const tag = reader.tag();
    const field = tag >>> 3;
    if (field > 2) {
      reader.skip(tag & 7);
      continue;
    }
    requireWireType(tag, wireBytes, field === 1 ? "TypeMeta" : "Raw");
    if (field === 2) message = reader.raw();
    else readTypeMeta(reader, typeMeta);
  }
  return { ...typeMeta, message };
}

/**
 * One frame of a protobuf watch stream: the length as 4 bytes, then a WatchEvent that holds `object`, which is a whole
 * envelope.
 */
export function encodeWatchFrame(type: string, object: Uint8Array): Uint8Array {
  const writer = new WireWriter();
  writeMessage(writer, () => {
    writer.raw(object);
    writer.tag(1, wireBytes);
  });
  writer.tag(2, wireBytes);
  writer.string(type);
  writer.tag(1, wireBytes);
  const { length } = writer;
  writer.append(Uint8Array.of(length >>> 24, length >>> 16, length >>> 8, length));
  return writer.finish();
}

const plans = new MessagePlans(readEnvelopedObject);

/** An object inside a raw field, as a watch event has it. */
function readEnvelopedObject(bytes: Uint8Array): unknown {
  const { kind, apiVersion, message } = unwrapEnvelope(bytes);
  const gvk: GroupVersionKind = { ...parseGroupVersion(apiVersion), kind };
  const typeId = findTypeOfKind(gvk);
  if (typeId === undefined)
    throw new DecodeError(`no kind "${kind}" is registered for version "${apiVersion}"`);
  return { kind, apiVersion, ...decodeProtobuf(typeId, message) };
}

function readTypeMeta(reader: WireReader, target: { apiVersion: string; kind: string }): void {
  eachField(reader, [wireBytes, wireBytes], (field) => {
    if (field === 1) target.apiVersion = reader.string();
    else target.kind = reader.string();
  });
}
