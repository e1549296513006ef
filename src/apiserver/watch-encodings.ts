// Finds the watch encoding for what a client negotiated, one per resource, media type and shape, so that all watchers
// who want the same bytes share them.
import { encodeProtobuf, encodeWatchFrame, wrapEnvelope } from "../api/codec/protobuf.ts";
import type { KubeObject } from "../api/object.ts";
import type { Clock } from "../host/host.ts";
import { tableColumns } from "../registry/table/table.ts";
import {
  type EncodedKind,
  type Wanted,
  encodeStatus,
  jsonBytes,
  metaVersion,
  partialMetadata,
  printedKind,
  tableHead,
  tableRowOf,
} from "./encode-object.ts";
import { type Transform, contentTypeOf, mediaTypesOnly } from "./negotiation.ts";
import {
  type FrameParts,
  type WatchEncoding,
  bookmarkMetadata,
  computedEncoding,
  jsonError,
  jsonFrame,
  plainJsonEncoding,
} from "./watch-encoding.ts";
import { parseObject } from "../api/codec/parse-object.ts";

const jsonType = contentTypeOf.json;
const protobufType = `${contentTypeOf.protobuf};stream=watch`;

/** Throws 406 for YAML, which has no frames. */
export function findWatchEncoding(
  encodings: Map<string, WatchEncoding>,
  kind: EncodedKind,
  wanted: Wanted & { readonly clock: Clock },
): WatchEncoding {
  const { media, transform } = wanted.negotiated;
  if (media === "yaml") throw mediaTypesOnly([`${jsonType};stream=watch`, protobufType]);
  const shape = transform === undefined ? "" : `${transform.kind} ${transform.version}`;
  const key = `${media} ${shape} ${transform?.kind === "Table" ? wanted.includeObject : ""}`;
  const known = encodings.get(key);
  if (known !== undefined) return known;
  const made = makeEncoding(kind, wanted);
  encodings.set(key, made);
  return made;
}

function makeEncoding(
  kind: EncodedKind,
  wanted: Wanted & { readonly clock: Clock },
): WatchEncoding {
  const { media, transform } = wanted.negotiated;
  if (transform === undefined) {
    if (media === "json") return plainJsonEncoding(kind.kind.kind, kind.apiVersion);
    return computedEncoding(protobufType, "binary", protobufParts(kind));
  }
  if (transform.kind === "Table")
    return computedEncoding(jsonType, "text", tableParts(kind, { ...wanted, transform }));
  return media === "json"
    ? computedEncoding(jsonType, "text", partialParts(kind, transform))
    : computedEncoding(protobufType, "binary", partialProtobufParts(kind, transform));
}

function protobufParts(kind: EncodedKind): FrameParts {
  const encode = (type: string, object: KubeObject): Uint8Array =>
    protobufFrame(type, kind, object);
  return {
    object: (type, object) => encode(type, parseObject(object.bytes)),
    bookmark: (revision, end) => encode("BOOKMARK", { metadata: bookmarkMetadata(revision, end) }),
    error: (status) => encodeWatchFrame("ERROR", encodeStatus(status, "protobuf", false)),
  };
}

function protobufFrame(type: string, kind: EncodedKind, object: KubeObject): Uint8Array {
  const message = encodeProtobuf(kind.typeId, object);
  return encodeWatchFrame(type, wrapEnvelope(kind.kind.kind, kind.apiVersion, message));
}

function partialParts(kind: EncodedKind, transform: Transform): FrameParts {
  return {
    object: (type, object) => jsonFrame(type, partialMetadata(object.bytes, kind, transform)),
    bookmark: (revision, end) =>
      jsonFrame("BOOKMARK", jsonBytes(partialBookmark(transform, revision, end))),
    error: jsonError,
  };
}

function partialBookmark(transform: Transform, revision: number, end: boolean): object {
  return {
    kind: "PartialObjectMetadata",
    apiVersion: metaVersion(transform),
    metadata: bookmarkMetadata(revision, end),
  };
}

function partialProtobufParts(kind: EncodedKind, transform: Transform): FrameParts {
  const partial: EncodedKind = {
    kind: { group: "meta.k8s.io", version: transform.version, kind: "PartialObjectMetadata" },
    apiVersion: metaVersion(transform),
    typeId: "meta.v1.PartialObjectMetadata",
  };
  return {
    object: (type, object) =>
      protobufFrame(type, partial, parseObject(partialMetadata(object.bytes, kind, transform))),
    bookmark: (revision, end) =>
      protobufFrame("BOOKMARK", partial, { metadata: bookmarkMetadata(revision, end) }),
    error: (status) => encodeWatchFrame("ERROR", encodeStatus(status, "protobuf", false)),
  };
}

/** One Table an event; only the first with rows says what its columns are. */
function tableParts(
  kind: EncodedKind,
  wanted: Wanted & { readonly clock: Clock; readonly transform: Transform },
): FrameParts {
  const columns = tableColumns(printedKind(kind));
  const { transform, includeObject, clock } = wanted;
  return {
    object: (type, object, first) => {
      const table = {
        ...tableHead(transform, { resourceVersion: String(object.revision) }),
        columnDefinitions: first ? columns : null,
        rows: [tableRowOf(object.bytes, kind, { transform, includeObject, now: clock.now() })],
      };
      return jsonFrame(type, jsonBytes(table));
    },
    bookmark: (revision, end) => {
      const metadata = bookmarkMetadata(revision, end);
      const table = { ...tableHead(transform, metadata), columnDefinitions: null, rows: [] };
      return jsonFrame("BOOKMARK", jsonBytes(table));
    },
    error: jsonError,
  };
}
