// Validation of what a CustomResourceDefinition says of its objects: that the schema is structural, which is to say that
// every field has a type, and how objects are printed (upstream: apiextensions/validation, apiserver/schema). Of
// defaults only the type is judged, expressions not at all.
import {
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from "../meta/field-error.ts";
import type {
  CustomResourceColumnDefinition,
  CustomResourceValidation,
  JSONSchemaProps,
} from "../types/apiextensions-v1.ts";

const schemaTypes = ["array", "boolean", "integer", "number", "object", "string"];
const columnTypes = ["boolean", "date", "integer", "number", "string"];
const columnFormats = [
  "byte",
  "date",
  "date-time",
  "double",
  "float",
  "int32",
  "int64",
  "password",
];

/** Where a schema stands, in the words of the complaint that it has no type. */
type Level = "at the root" | "for specified array items" | "for specified object fields";

export function validateCustomSchema(
  validation: CustomResourceValidation | undefined,
  path: string,
  errors: FieldError[],
): void {
  const schema = validation?.openAPIV3Schema;
  if (!schema) return;
  const at = `${path}.openAPIV3Schema`;
  if (schema.nullable === true) {
    errors.push(forbiddenField(`${at}.nullable`, "nullable cannot be true at the root"));
  }
  const structural: FieldError[] = [];
  checkStructure(schema, { path: at, level: "at the root" }, structural);
  errors.push(...structural);
  if (structural.length === 0) checkDefaults(schema, at, errors);
  checkTypes(schema, at, errors);
}

export function validatePrinterColumns(
  columns: readonly CustomResourceColumnDefinition[] | undefined,
  path: string,
  errors: FieldError[],
): void {
  const types = `must be one of ${columnTypes.join(",")}`;
  for (const [i, column] of (columns ?? []).entries()) {
    const { name, type, format = "", jsonPath } = column;
    const at = `${path}[${i}]`;
    if (name === "") errors.push(required(`${at}.name`));
    if (type === "") errors.push(required(`${at}.type`, types));
    else if (!columnTypes.includes(type)) errors.push(invalidValue(`${at}.type`, type, types));
    if (format !== "" && !columnFormats.includes(format)) {
      const detail = `must be one of ${columnFormats.join(",")}`;
      errors.push(invalidValue(`${at}.format`, format, detail));
    }
    if (jsonPath === "") errors.push(required(`${at}.JSONPath`));
    else if (!jsonPath.startsWith(".")) {
      const detail = "must be a simple json path starting with .";
      errors.push(invalidValue(`${at}.JSONPath`, jsonPath, detail));
    }
  }
}

function checkStructure(
  schema: JSONSchemaProps,
  { path, level }: { path: string; level: Level },
  errors: FieldError[],
): void {
  const { type = "", additionalProperties } = schema;
  if (type === "array" && schema.items === undefined) {
    errors.push(required(`${path}.items`, "must be specified"));
  }
  for (const [at, inner, innerLevel] of innerSchemas(schema, path)) {
    checkStructure(inner, { path: at, level: innerLevel }, errors);
  }
  if (additionalProperties !== undefined && level === "at the root") {
    errors.push(forbiddenField(`${path}.additionalProperties`, "must not be used at the root"));
  }
  const isFree =
    schema["x-kubernetes-int-or-string"] === true ||
    schema["x-kubernetes-preserve-unknown-fields"] === true;
  const at = `${path}.type`;
  if (schema["x-kubernetes-embedded-resource"] === true && type !== "object") {
    const detail = "must be object if x-kubernetes-embedded-resource is true";
    errors.push(type === "" ? required(at, detail) : invalidValue(at, type, detail));
  } else if (type === "" && !isFree) errors.push(required(at, `must not be empty ${level}`));
  if (level === "at the root" && type !== "" && type !== "object") {
    errors.push(invalidValue(at, type, "must be object at the root"));
  }
}

/** A default that its own field would not take. */
function checkDefaults(schema: JSONSchemaProps, path: string, errors: FieldError[]): void {
  for (const [at, inner] of innerSchemas(schema, path)) checkDefaults(inner, at, errors);
  const { type = "", default: value } = schema;
  if (value === undefined || value === null || type === "") return;
  const given = schemaTypeOf(value);
  if (given === type || (given === "integer" && type === "number")) return;
  errors.push({
    reason: "FieldValueTypeInvalid",
    field: `${path}.default`,
    value: given,
    detail: ` in body must be of type ${type}: ${JSON.stringify(given)}`,
  });
}

function schemaTypeOf(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "bigint" || Number.isInteger(value)) return "integer";
  return typeof value;
}

/** After the structure of the whole, as upstream has it. */
function checkTypes(schema: JSONSchemaProps, path: string, errors: FieldError[]): void {
  const { type = "" } = schema;
  for (const [at, inner] of innerSchemas(schema, path)) checkTypes(inner, at, errors);
  if (type === "" || schemaTypes.includes(type)) return;
  errors.push(notSupported(`${path}.type`, type, schemaTypes));
}

function innerSchemas(
  { items, properties, additionalProperties }: JSONSchemaProps,
  path: string,
): (readonly [string, JSONSchemaProps, Level])[] {
  const inner: (readonly [string, JSONSchemaProps, Level])[] = [];
  if (items !== undefined && !Array.isArray(items)) {
    inner.push([`${path}.items`, items, "for specified array items"]);
  }
  for (const [key, property] of Object.entries(properties ?? {})) {
    inner.push([`${path}.properties[${key}]`, property, "for specified object fields"]);
  }
  if (typeof additionalProperties === "object") {
    const at = `${path}.additionalProperties`;
    inner.push([at, additionalProperties, "for specified object fields"]);
  }
  return inner;
}
