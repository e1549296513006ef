// The v2 document as old kubectl asks for it: gnostic's openapi.v2.Document in protobuf (facts: field numbers of
// gnostic's openapiv2/OpenAPIv2.proto). Maps become lists of named values; extensions travel as YAML text, of which
// JSON is a part.
import { assert } from "../../std/assert.ts";
import { MessageWriter } from "./message-writer.ts";
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
  const writer = new MessageWriter();
  writer.string(1, document.swagger);
  writer.message(2, () => {
    writer.string(1, document.info.title);
    writer.string(2, document.info.version);
  });
  writer.message(8, () => writeMap(writer, 2, document.paths, writePathItem));
  writer.message(9, () => writeMap(writer, 1, document.definitions, writeSchema));
  for (const requirement of document.security)
    writer.message(12, () => writeMap(writer, 1, requirement, writeStrings));
  writer.message(13, () => writeMap(writer, 1, document.securityDefinitions, writeApiKey));
  return writer.finish();
}

type Write<T> = (writer: MessageWriter, value: T) => void;

/** Entries {1 name, 2 value}. */
function writeMap<T>(
  writer: MessageWriter,
  field: number,
  map: Readonly<Record<string, T>>,
  write: Write<T>,
): void {
  for (const [name, value] of Object.entries(map))
    writer.message(field, () => {
      writer.string(1, name);
      writer.message(2, () => write(writer, value));
    });
}

function writeStrings(writer: MessageWriter, values: readonly string[]): void {
  for (const value of values) writer.string(1, value);
}

/** {2 api key {1 type, 2 name, 3 in, 4 description}} */
function writeApiKey(writer: MessageWriter, key: V2ApiKey): void {
  writer.message(2, () => {
    writer.string(1, key.type);
    writer.string(2, key.name);
    writer.string(3, key.in);
    writer.string(4, key.description);
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

function writePathItem(writer: MessageWriter, { parameters, ...operations }: V2PathItem): void {
  for (const [method, operation] of Object.entries(operations)) {
    const field = pathItemFields[method];
    assert(field !== undefined, `OpenAPI v2 has no method ${method}`);
    writer.message(field, () => writeOperation(writer, operation as V2Operation));
  }
  for (const parameter of parameters ?? [])
    writer.message(9, () => writeParameter(writer, parameter));
}

function writeOperation(writer: MessageWriter, operation: V2Operation): void {
  for (const tag of operation.tags) writer.string(1, tag);
  writer.string(3, operation.description);
  writer.string(5, operation.operationId);
  for (const mediaType of operation.produces) writer.string(6, mediaType);
  for (const mediaType of operation.consumes) writer.string(7, mediaType);
  for (const parameter of operation.parameters ?? [])
    writer.message(8, () => writeParameter(writer, parameter));
  writer.message(9, () => writeMap(writer, 1, operation.responses, writeResponse));
  for (const scheme of operation.schemes) writer.string(10, scheme);
  writeExtensions(writer, 13, operation);
}

/** Wrapped twice: {1 parameter {1 body | 2 other {3 query | 4 path}}}. */
function writeParameter(writer: MessageWriter, parameter: V2Parameter): void {
  writer.message(1, () => {
    if (parameter.in === "body") writer.message(1, () => writeBody(writer, parameter));
    else writer.message(2, () => writeNonBody(writer, parameter));
  });
}

function writeBody(writer: MessageWriter, { name, required, schema }: V2Parameter): void {
  writer.string(2, name);
  writer.string(3, "body");
  writer.bool(4, required ?? false);
  if (schema) writer.message(5, () => writeSchema(writer, schema));
}

function writeNonBody(writer: MessageWriter, parameter: V2Parameter): void {
  const { required, description, name, type, uniqueItems } = parameter;
  const isQuery = parameter.in === "query";
  writer.message(isQuery ? 3 : 4, () => {
    writer.bool(1, required ?? false);
    writer.string(2, parameter.in);
    writer.string(3, description);
    writer.string(4, name);
    writer.string(isQuery ? 6 : 5, type);
    writer.bool(isQuery ? 20 : 19, uniqueItems ?? false);
  });
}

/** {1 response {1 description, 2 {1 schema}}} */
function writeResponse(writer: MessageWriter, { description, schema }: V2Response): void {
  writer.message(1, () => {
    writer.string(1, description);
    if (schema) writer.message(2, () => writer.message(1, () => writeSchema(writer, schema)));
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

function writeSchema(writer: MessageWriter, schema: SchemaObject): void {
  for (const key in schema)
    assert(schemaWords.has(key) || key.startsWith("x-"), `OpenAPI v2 schemas have no ${key} here`);
  const { type, items, properties, additionalProperties } = schema;
  writer.string(1, schema.$ref);
  writer.string(2, schema.format);
  writer.string(4, schema.description);
  for (const name of schema.required ?? []) writer.string(19, name);
  if (additionalProperties)
    writer.message(21, () => writer.message(1, () => writeSchema(writer, additionalProperties)));
  if (type !== undefined) writer.message(22, () => writer.string(1, type));
  if (items) writer.message(23, () => writer.message(1, () => writeSchema(writer, items)));
  if (properties) writer.message(25, () => writeMap(writer, 1, properties, writeSchema));
  writeExtensions(writer, 31, schema);
}

/** {1 name, 2 {2 yaml}} for every key that starts with `x-`. */
function writeExtensions(writer: MessageWriter, field: number, holder: object): void {
  for (const [name, value] of Object.entries(holder))
    if (name.startsWith("x-"))
      writer.message(field, () => {
        writer.string(1, name);
        writer.message(2, () => writer.string(2, `${JSON.stringify(value)}\n`));
      });
}
