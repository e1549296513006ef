// One object's bytes in the media type and shape that were negotiated. Objects come as the JSON they are stored as;
// plain JSON leaves untouched, everything else is computed from it.
import { encodeProtobuf, wrapEnvelope } from "../api/codec/protobuf.ts";
import { encodeYaml } from "../api/codec/yaml.ts";
import { notAcceptable } from "../api/meta/errors.ts";
import type { KubeObject } from "../api/object.ts";
import { type GroupVersionKind, findKindType, packageOf } from "../api/schema/schema.ts";
import type { ListMeta, Status } from "../api/types/meta-v1.ts";
import {
  type IncludeObject,
  type PrintedKind,
  tableColumns,
  tableRow,
} from "../registry/table/table.ts";
import { assert } from "../std/assert.ts";
import { stringifyJson } from "../std/json.ts";
import { indentJson, joinBytes, sliceMetadata } from "./json-bytes.ts";
import type { MediaType, Negotiated, Transform } from "./negotiation.ts";
import { groupVersion } from "../api/codec/group-version.ts";
import { parseObject } from "../api/codec/parse-object.ts";
import { encodeUtf8 } from "../std/utf8.ts";

export function jsonBytes(value: unknown): Uint8Array {
  return encodeUtf8(stringifyJson(value));
}

/** A kind with its message type; what the encoders must know of an object. */
export interface EncodedKind {
  readonly kind: GroupVersionKind;
  readonly apiVersion: string;
  readonly typeId: string;
}

export function encodedKind(kind: GroupVersionKind): EncodedKind {
  const typeId = findKindType(kind);
  assert(typeId !== undefined, `no message type for ${kind.group}/${kind.version} ${kind.kind}`);
  const apiVersion = groupVersion(kind);
  return { kind, apiVersion, typeId };
}

export interface Wanted {
  readonly negotiated: Negotiated;
  readonly pretty: boolean;
  readonly includeObject: IncludeObject;
  /** Wall time in ms, for ages in Tables. */
  readonly now: number;
}

/** `bytes` is the object as served in JSON, kind and apiVersion first. */
export function encodeObject(bytes: Uint8Array, kind: EncodedKind, wanted: Wanted): Uint8Array {
  const { media, transform } = wanted.negotiated;
  if (transform === undefined) {
    if (media === "json") return wanted.pretty ? indentJson(bytes) : bytes;
    return encodeMedia(media, parseObject(bytes), kind);
  }
  const transformed = transformObject(bytes, kind, { ...wanted, transform });
  if (media === "json") return wanted.pretty ? indentJson(transformed) : transformed;
  const shape = partialKind(transform);
  return encodeMedia(media, parseObject(transformed), shape);
}

function encodeMedia(
  media: "yaml" | "protobuf",
  object: KubeObject,
  kind: EncodedKind,
): Uint8Array {
  if (media === "yaml") return encodeUtf8(encodeYaml(object));
  return wrapEnvelope(kind.kind.kind, kind.apiVersion, encodeProtobuf(kind.typeId, object));
}

function partialKind(transform: Transform): EncodedKind {
  return {
    kind: { group: "meta.k8s.io", version: transform.version, kind: transform.kind },
    apiVersion: metaVersion(transform),
    typeId: "meta.v1.PartialObjectMetadata",
  };
}

export function metaVersion(transform: Transform): string {
  return `meta.k8s.io/${transform.version}`;
}

function transformObject(
  bytes: Uint8Array,
  kind: EncodedKind,
  wanted: Wanted & { readonly transform: Transform },
): Uint8Array {
  const { transform } = wanted;
  if (transform.kind === "PartialObjectMetadata") return partialMetadata(bytes, kind, transform);
  if (transform.kind === "PartialObjectMetadataList")
    throw notAcceptable(
      `you requested PartialObjectMetadataList, but the requested object is not a list (${goType(kind.kind)})`,
    );
  const { resourceVersion } = parseObject(bytes).metadata;
  const listMeta = resourceVersion === undefined ? {} : { resourceVersion };
  return jsonBytes({
    ...tableHead(transform, listMeta),
    columnDefinitions: tableColumns(printedKind(kind)),
    rows: [tableRowOf(bytes, kind, wanted)],
  });
}

export function tableHead(
  transform: Transform,
  metadata: ListMeta,
): { kind: "Table"; apiVersion: string; metadata: ListMeta } {
  return { kind: "Table", apiVersion: metaVersion(transform), metadata };
}

export function printedKind(kind: EncodedKind): PrintedKind {
  return { ...kind.kind, type: kind.typeId };
}

/** A row whose included metadata speaks the version that was asked for. */
export function tableRowOf(
  bytes: Uint8Array,
  kind: EncodedKind,
  wanted: Pick<Wanted, "now" | "includeObject"> & { readonly transform: Transform },
): object {
  const row = tableRow(printedKind(kind), parseObject(bytes), wanted);
  if (wanted.transform.version === "v1" || row.object === null) return row;
  if (wanted.includeObject !== "Metadata") return row;
  return { ...row, object: { ...row.object, apiVersion: metaVersion(wanted.transform) } };
}

/** The metadata's own bytes under another kind. */
export function partialMetadata(
  bytes: Uint8Array,
  kind: EncodedKind,
  transform: Transform,
): Uint8Array {
  const head = encodeUtf8(
    `{"kind":"PartialObjectMetadata","apiVersion":"${metaVersion(transform)}","metadata":`,
  );
  const skip = `{"kind":"${kind.kind.kind}","apiVersion":"${kind.apiVersion}",`.length;
  const metadata = sliceMetadata(bytes, skip) ?? jsonBytes(parseObject(bytes).metadata ?? {});
  return joinBytes([head, metadata, closeBrace]);
}

const closeBrace = encodeUtf8("}");
const newline = encodeUtf8("\n");

/** How upstream's messages print the type of an object: `*core.Pod`. */
export function goType(kind: GroupVersionKind): string {
  return `*${packageOf(kind.group)}.${kind.kind}`;
}

const statusKind: EncodedKind = {
  kind: { group: "", version: "v1", kind: "Status" },
  apiVersion: "v1",
  typeId: "meta.v1.Status",
};

export function encodeStatus(status: Status, media: MediaType, pretty: boolean): Uint8Array {
  const object = { kind: "Status", apiVersion: "v1", metadata: {}, ...status };
  if (media !== "json") return encodeMedia(media, object, statusKind);
  const bytes = jsonBytes(object);
  return pretty ? indentJson(bytes) : joinBytes([bytes, newline]);
}
