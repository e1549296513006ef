// The v2 document as old kubectl asks for it: gnostic's openapi.v2.Document in protobuf (facts: field numbers of
// gnostic's openapiv2/OpenAPIv2.proto). Maps become lists of named values; extensions travel as YAML text, of which
// JSON is a part. WireWriter writes from the back, so every function here puts its last field first.
import { WireWriter, wireBytes, wireVarint, writeMessage } from "../../api/codec/protobuf-wire.ts";
import { assert } from "../../std/assert.ts";
import { once } from "./once.ts";
import type { SchemaObject } from "./schema-object.ts";
import type {
  OpenApiV2Document,
  V2ApiKey,
  V2Operation,
  V2Parameter,
  V2PathItem,
  V2Response,
} from "./v2.ts";

export const openApiV2ProtobufMediaType =
  "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

export function encodeOpenApiV2(document: OpenApiV2Document): Uint8Array {
  const writer = new WireWriter();
  const parameterBytes = once(encodeParameter);
  const writeItem: Write<V2PathItem> = (to, item) => writePathItem(to, item, parameterBytes);
  putMessage(writer, 13, () => putMap(writer, 1, document.securityDefinitions, writeApiKey));
  for (const requirement of document.security.toReversed())
    putMessage(writer, 12, () => putMap(writer, 1, requirement, writeStrings));
  putMessage(writer, 9, () => putMap(writer, 1, document.definitions, writeSchema));
  putMessage(writer, 8, () => putMap(writer, 2, document.paths, writeItem));
  putMessage(writer, 2, () => {
    putString(writer, 2, document.info.version);
    putString(writer, 1, document.info.title);
  });
  putString(writer, 1, document.swagger);
  return writer.finish();
}

type Write<T> = (writer: WireWriter, value: T) => void;

/** Empty texts and false are left out, as proto3 does. */
function putString(writer: WireWriter, field: number, value: string | undefined): void {
  if (value === undefined || value === "") return;
  writer.string(value);
  writer.tag(field, wireBytes);
}

function putStrings(writer: WireWriter, field: number, values: readonly string[] = []): void {
  for (const value of values.toReversed()) putString(writer, field, value);
}

function putBool(writer: WireWriter, field: number, value: boolean | undefined): void {
  if (value !== true) return;
  writer.bool(value);
  writer.tag(field, wireVarint);
}

function putMessage(writer: WireWriter, field: number, write: () => void): void {
  writeMessage(writer, write);
  writer.tag(field, wireBytes);
}

function putEncoded(writer: WireWriter, field: number, message: Uint8Array): void {
  writer.raw(message);
  writer.tag(field, wireBytes);
}

/** Entries {1 name, 2 value}. */
function putMap<T>(
  writer: WireWriter,
  field: number,
  map: Readonly<Record<string, T>>,
  write: Write<T>,
): void {
  for (const [name, value] of Object.entries(map).reverse())
    putMessage(writer, field, () => {
      putMessage(writer, 2, () => write(writer, value));
      putString(writer, 1, name);
    });
}

function writeStrings(writer: WireWriter, values: readonly string[]): void {
  putStrings(writer, 1, values);
}

/** {2 api key {1 type, 2 name, 3 in, 4 description}} */
function writeApiKey(writer: WireWriter, key: V2ApiKey): void {
  putMessage(writer, 2, () => {
    putString(writer, 4, key.description);
    putString(writer, 3, key.in);
    putString(writer, 2, key.name);
    putString(writer, 1, key.type);
  });
}

const pathItemFields: Readonly<Record<string, number>> = {
  get: 2,
  put: 3,
  post: 4,
  delete: 5,
  options: 6,
  head: 7,
  patch: 8,
};

/** Most parameters are shared by many operations, so each is encoded once. */
type EncodeParameter = (parameter: V2Parameter) => Uint8Array;

function writePathItem(
  writer: WireWriter,
  { parameters = [], ...operations }: V2PathItem,
  encode: EncodeParameter,
): void {
  for (const parameter of parameters.toReversed()) putEncoded(writer, 9, encode(parameter));
  for (const [method, operation] of Object.entries(operations)) {
    const field = pathItemFields[method];
    assert(field !== undefined, `OpenAPI v2 has no method ${method}`);
    putMessage(writer, field, () => writeOperation(writer, operation as V2Operation, encode));
  }
}

function writeOperation(writer: WireWriter, operation: V2Operation, encode: EncodeParameter): void {
  putExtensions(writer, 13, operation);
  putStrings(writer, 10, operation.schemes);
  putMessage(writer, 9, () => putMap(writer, 1, operation.responses, writeResponse));
  for (const parameter of operation.parameters?.toReversed() ?? [])
    putEncoded(writer, 8, encode(parameter));
  putStrings(writer, 7, operation.consumes);
  putStrings(writer, 6, operation.produces);
  putString(writer, 5, operation.operationId);
  putString(writer, 3, operation.description);
  putStrings(writer, 1, operation.tags);
}

/** Wrapped twice: {1 parameter {1 body | 2 other {3 query | 4 path}}}. */
function encodeParameter(parameter: V2Parameter): Uint8Array {
  const writer = new WireWriter();
  putMessage(writer, 1, () => {
    if (parameter.in === "body") putMessage(writer, 1, () => writeBody(writer, parameter));
    else putMessage(writer, 2, () => writeNonBody(writer, parameter));
  });
  return writer.finish();
}

function writeBody(writer: WireWriter, { name, required, schema }: V2Parameter): void {
  if (schema) putMessage(writer, 5, () => writeSchema(writer, schema));
  putBool(writer, 4, required);
  putString(writer, 3, "body");
  putString(writer, 2, name);
}

function writeNonBody(writer: WireWriter, parameter: V2Parameter): void {
  const isQuery = parameter.in === "query";
  putMessage(writer, isQuery ? 3 : 4, () => {
    putBool(writer, isQuery ? 20 : 19, parameter.uniqueItems);
    putString(writer, isQuery ? 6 : 5, parameter.type);
    putString(writer, 4, parameter.name);
    putString(writer, 3, parameter.description);
    putString(writer, 2, parameter.in);
    putBool(writer, 1, parameter.required);
  });
}

/** {1 response {1 description, 2 {1 schema}}} */
function writeResponse(writer: WireWriter, { description, schema }: V2Response): void {
  putMessage(writer, 1, () => {
    if (schema) putMessage(writer, 2, () => putSchema(writer, 1, schema));
    putString(writer, 1, description);
  });
}

/** What a v2 schema may hold besides extensions; a word that this encoder does not know would be lost. */
const schemaWords: ReadonlySet<string> = new Set([
  "$ref",
  "format",
  "description",
  "required",
  "additionalProperties",
  "type",
  "items",
  "properties",
]);

function putSchema(writer: WireWriter, field: number, schema: SchemaObject): void {
  putMessage(writer, field, () => writeSchema(writer, schema));
}

function writeSchema(writer: WireWriter, schema: SchemaObject): void {
  for (const key in schema)
    assert(schemaWords.has(key) || key.startsWith("x-"), `OpenAPI v2 schemas have no ${key} here`);
  const { type, items, properties, additionalProperties } = schema;
  putExtensions(writer, 31, schema);
  if (properties) putMessage(writer, 25, () => putMap(writer, 1, properties, writeSchema));
  if (items) putMessage(writer, 23, () => putSchema(writer, 1, items));
  if (type !== undefined) putMessage(writer, 22, () => putString(writer, 1, type));
  if (additionalProperties)
    putMessage(writer, 21, () => putSchema(writer, 1, additionalProperties));
  putStrings(writer, 19, schema.required);
  putString(writer, 4, schema.description);
  putString(writer, 2, schema.format);
  putString(writer, 1, schema.$ref);
}

/** {1 name, 2 {2 yaml}} for every key that starts with `x-`. */
function putExtensions(writer: WireWriter, field: number, holder: object): void {
  for (const [name, value] of Object.entries(holder).reverse())
    if (name.startsWith("x-"))
      putMessage(writer, field, () => {
        putMessage(writer, 2, () => putString(writer, 2, `${JSON.stringify(value)}\n`));
        putString(writer, 1, name);
      });
}
