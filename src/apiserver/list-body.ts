// What a list consists of in each media type and shape: head, pieces, tail for list-stream.ts. Items are taken lazily
// and turned into bytes one by one, so the answer's memory does not grow with the list.
//
// Protobuf needs the length of the whole message before its first byte. Lists up to `protobufHeldBytesMax` of JSON are
// encoded once and held; longer ones are encoded twice, first only to be measured, with turns for others in between.
import { encodeProtobuf } from "../api/codec/protobuf.ts";
import { encodeYaml } from "../api/codec/yaml.ts";
import { notAcceptable } from "../api/meta/errors.ts";
import type { ListMeta } from "../api/types/meta-v1.ts";
import type { Clock } from "../host/host.ts";
import { printerOf } from "../registry/table/printers.ts";
import { tableColumns, tableOf } from "../registry/table/table.ts";
import { stringifyJson } from "../std/json.ts";
import type { CachedObject } from "../watchcache/resource-cache.ts";
import {
  type EncodedKind,
  type Wanted,
  goType,
  jsonBytes,
  metaVersion,
  partialMetadata,
  printedKind,
  tableRowOf,
} from "./encode-object.ts";
import { indentJson, joinBytes } from "./json-bytes.ts";
import type { ListPieces } from "./list-stream.ts";
import type { Transform } from "./negotiation.ts";
import { bytesField, bytesFieldHead, envelopeHead, envelopeTail } from "./protobuf-frame.ts";
import { parseObject } from "../api/codec/parse-object.ts";
import { encodeUtf8 } from "../std/utf8.ts";

const none = new Uint8Array(0);
const comma = encodeUtf8(",");
const openBrace = encodeUtf8("{");
/** Items that are parsed, printed or encoded anew between two turns of the event loop: about 2 ms. */
const computedPerTurn = 32;

export interface ListContents {
  /** Of the items; the list's own kind is `${kind}List`. */
  readonly kind: EncodedKind;
  readonly metadata: ListMeta;
  readonly items: Iterable<CachedObject>;
  /** Bytes of `{"kind":…,"apiVersion":…,` that items go without. */
  readonly typePrefixBytes: number;
}

/** Throws 406 when the shape asked for is none of a list. */
export async function listPieces(
  clock: Clock,
  contents: ListContents,
  wanted: Wanted,
): Promise<ListPieces> {
  const { media, transform } = wanted.negotiated;
  if (transform !== undefined) return transformedList(clock, contents, { ...wanted, transform });
  if (media === "protobuf") return protobufList(clock, contents, plainMessages(contents.kind));
  const listKind = `${contents.kind.kind.kind}List`;
  if (media === "yaml") return yamlList(contents, listKind, plainYamlItem);
  const head = `{"kind":"${listKind}","apiVersion":"${contents.kind.apiVersion}","metadata":${stringifyJson(contents.metadata)},"items":[`;
  const bytes = map(contents.items, (item) => item.bytes);
  const skip = contents.typePrefixBytes;
  if (!wanted.pretty) return jsonPieces(head, bytes, { skip, lead: openBrace });
  return prettyPieces(
    head,
    map(bytes, (item) => joinBytes([openBrace, item.subarray(skip)])),
  );
}

function transformedList(
  clock: Clock,
  contents: ListContents,
  wanted: Wanted & { readonly transform: Transform },
): Promise<ListPieces> | ListPieces {
  const { transform } = wanted;
  const { kind } = contents;
  if (transform.kind === "PartialObjectMetadata") {
    const listType = goType({ ...kind.kind, kind: `${kind.kind.kind}List` });
    throw notAcceptable(
      `you requested PartialObjectMetadata, but the requested object is a list (${listType})`,
    );
  }
  if (transform.kind === "Table") return tableList(contents, wanted);
  const items = map(contents.items, (item) => partialMetadata(item.bytes, kind, transform));
  if (wanted.negotiated.media === "protobuf")
    return protobufList(clock, contents, partialMessages(kind, transform));
  if (wanted.negotiated.media === "yaml") {
    const partial = { ...contents, kind: { ...kind, apiVersion: metaVersion(transform) } };
    return yamlList(partial, transform.kind, (item) =>
      parseObject(partialMetadata(item.bytes, kind, transform)),
    );
  }
  const head = `{"kind":"${transform.kind}","apiVersion":"${metaVersion(transform)}","metadata":${stringifyJson(contents.metadata)},"items":[`;
  return wanted.pretty ? prettyPieces(head, items) : jsonPieces(head, items);
}

function tableList(
  contents: ListContents,
  wanted: Wanted & { readonly transform: Transform },
): ListPieces {
  const { kind } = contents;
  if (printerOf(kind.typeId).compare !== undefined) return sortedTable(contents, wanted);
  const columns = stringifyJson(tableColumns(printedKind(kind)));
  const rows = map(contents.items, (item) => jsonBytes(tableRowOf(item.bytes, kind, wanted)));
  if (wanted.negotiated.media === "yaml") {
    const table = {
      columnDefinitions: tableColumns(printedKind(kind)),
      kind: "Table",
      apiVersion: metaVersion(wanted.transform),
      metadata: contents.metadata,
      rows: [...rows].map(parseObject),
    };
    return onePiece(encodeUtf8(encodeYaml(table)));
  }
  const head = `{"kind":"Table","apiVersion":"${metaVersion(wanted.transform)}","metadata":${stringifyJson(contents.metadata)},"columnDefinitions":${columns},"rows":[`;
  return wanted.pretty ? prettyPieces(head, rows) : jsonPieces(head, rows);
}

/** FlowSchemas only: a handful, shown in the order in which they apply. */
function sortedTable(
  contents: ListContents,
  wanted: Wanted & { readonly transform: Transform },
): ListPieces {
  const objects = map(contents.items, (item) => parseObject(item.bytes));
  const options = { ...wanted, listMeta: contents.metadata, withColumns: true };
  const table = {
    ...tableOf(printedKind(contents.kind), objects, options),
    apiVersion: metaVersion(wanted.transform),
  };
  if (wanted.negotiated.media === "yaml") return onePiece(encodeUtf8(encodeYaml(table)));
  const bytes = jsonBytes(table);
  return onePiece(wanted.pretty ? indentJson(bytes) : bytes);
}

function jsonPieces(
  head: string,
  pieces: Iterable<Uint8Array>,
  replace: { readonly skip: number; readonly lead: Uint8Array } = { skip: 0, lead: none },
): ListPieces {
  const tail = encodeUtf8("]}\n");
  const computed = replace.skip === 0 ? { perTurn: computedPerTurn } : {};
  return { head: encodeUtf8(head), pieces, ...replace, separator: comma, tail, ...computed };
}

/** The items stand two levels deep. */
function prettyPieces(head: string, items: Iterable<Uint8Array>): ListPieces {
  const opened = indentJson(encodeUtf8(`${head}]}`));
  const source = items[Symbol.iterator]();
  const first = source.next();
  if (first.done === true) return onePiece(opened);
  // Cut off `]\n}`: an empty list was laid out, the pieces go between its brackets.
  const lead = encodeUtf8("\n    ");
  return {
    head: opened.subarray(0, opened.length - 3),
    pieces: map(chain(first.value, source), (item) => indentJson(item, 2)),
    skip: 0,
    lead,
    separator: comma,
    tail: encodeUtf8("\n  ]\n}"),
    perTurn: computedPerTurn,
  };
}

/** Keys in alphabetical order, as upstream's YAML has them. */
function yamlList(
  contents: ListContents,
  listKind: string,
  item: (object: CachedObject) => object,
): ListPieces {
  const source = contents.items[Symbol.iterator]();
  const first = source.next();
  const { apiVersion } = contents.kind;
  const tail = encodeYaml({ kind: listKind, metadata: contents.metadata });
  if (first.done === true)
    return onePiece(encodeUtf8(`apiVersion: ${apiVersion}\nitems: []\n${tail}`));
  return {
    head: encodeUtf8(`apiVersion: ${apiVersion}\nitems:\n`),
    pieces: map(chain(first.value, source), (object) => encodeUtf8(encodeYaml([item(object)]))),
    skip: 0,
    lead: none,
    separator: none,
    tail: encodeUtf8(tail),
    perTurn: computedPerTurn,
  };
}

function plainYamlItem(object: CachedObject): object {
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = parseObject(object.bytes);
  return rest;
}

interface Messages {
  readonly listKind: string;
  readonly apiVersion: string;
  encode(object: CachedObject): Uint8Array;
}

function plainMessages(kind: EncodedKind): Messages {
  return {
    listKind: `${kind.kind.kind}List`,
    apiVersion: kind.apiVersion,
    encode: (object) => encodeProtobuf(kind.typeId, parseObject(object.bytes)),
  };
}

function partialMessages(kind: EncodedKind, transform: Transform): Messages {
  return {
    listKind: transform.kind,
    apiVersion: metaVersion(transform),
    encode: (object) =>
      encodeProtobuf(
        "meta.v1.PartialObjectMetadata",
        parseObject(partialMetadata(object.bytes, kind, transform)),
      ),
  };
}

const protobufHeldBytesMax = 1_048_576;
/** Objects measured between two turns of the event loop: a few milliseconds. */
const measuredPerTurn = 64;

async function protobufList(
  clock: Clock,
  contents: ListContents,
  messages: Messages,
): Promise<ListPieces> {
  const items = [...contents.items];
  const encodeItem = (object: CachedObject): Uint8Array => bytesField(2, messages.encode(object));
  const listMeta = bytesField(1, encodeProtobuf("meta.v1.ListMeta", contents.metadata));
  let jsonLength = 0;
  for (const item of items) jsonLength += item.bytes.length;
  const held = jsonLength <= protobufHeldBytesMax ? items.map(encodeItem) : undefined;
  let length = listMeta.length;
  if (held === undefined) {
    for (let i = 0; i < items.length; i++) {
      const message = messages.encode(items[i]!).length;
      length += bytesFieldHead(2, message).length + message;
      if (i % measuredPerTurn === measuredPerTurn - 1) await clock.turn();
    }
  } else for (const message of held) length += message.length;
  return {
    head: joinBytes([envelopeHead(messages.listKind, messages.apiVersion, length), listMeta]),
    pieces: held ?? map(items, encodeItem),
    skip: 0,
    lead: none,
    separator: none,
    tail: envelopeTail,
    ...(held === undefined ? { perTurn: computedPerTurn } : {}),
  };
}

function onePiece(bytes: Uint8Array): ListPieces {
  return { head: bytes, pieces: [], skip: 0, lead: none, separator: none, tail: none };
}

function* map<A, B>(source: Iterable<A>, to: (value: A) => B): Generator<B> {
  for (const value of source) yield to(value);
}

function* chain<A>(first: A, rest: Iterator<A>): Generator<A> {
  yield first;
  for (let next = rest.next(); next.done !== true; next = rest.next()) yield next.value;
}
