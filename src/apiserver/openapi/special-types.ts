// Types that OpenAPI documents name but the schema does not list field by field: scalars with a Go type of their own,
// values of any shape, the patch body, /version's answer.
import { openApiName } from "../../api/schema/schema.ts";
import type { SchemaObject } from "./schema-object.ts";

export type OpenApiVersion = 2 | 3;

/** The definition that a field's scalar type refers to; undefined for scalars that are written in place. */
export function referredScalar(scalar: string, ownerTypeId: string): string | undefined {
  if (scalar === "json") return ownerTypeId.startsWith("meta.") ? "meta.v1.FieldsV1" : jsonValue;
  return scalarDefinitions[scalar];
}

/** The published name of any definition, special or not. */
export function definitionName(id: string): string {
  return specialNames[id] ?? openApiName(id);
}

export function specialDefinition(id: string, version: OpenApiVersion): SchemaObject | undefined {
  return (version === 3 ? version3Only[id] : undefined) ?? specials[id];
}

const jsonValue = "apiextensions.v1.JSON";

const scalarDefinitions: Readonly<Record<string, string>> = {
  time: "meta.v1.Time",
  microTime: "meta.v1.MicroTime",
  duration: "meta.v1.Duration",
  quantity: "Quantity",
  intOrString: "IntOrString",
  rawExtension: "RawExtension",
  schemaOrArray: "apiextensions.v1.JSONSchemaPropsOrArray",
  schemaOrBool: "apiextensions.v1.JSONSchemaPropsOrBool",
  schemaOrStringArray: "apiextensions.v1.JSONSchemaPropsOrStringArray",
};

const specialNames: Readonly<Record<string, string>> = {
  Quantity: "io.k8s.apimachinery.pkg.api.resource.Quantity",
  IntOrString: "io.k8s.apimachinery.pkg.util.intstr.IntOrString",
  RawExtension: "io.k8s.apimachinery.pkg.runtime.RawExtension",
  VersionInfo: "io.k8s.apimachinery.pkg.version.Info",
};

const quantityText =
  "An amount with an optional unit: m for thousandths; k, M, G, T, P, E in steps of 1000; Ki, Mi, Gi, Ti, Pi, Ei in steps of 1024; or an exponent such as 1e3. Stored in one canonical form.";
const intOrStringText = "A number, or a text such as a share (25%) or the name of a port.";

const specials: Readonly<Record<string, SchemaObject>> = {
  "meta.v1.Time": {
    type: "string",
    format: "date-time",
    description: "A time as RFC 3339 writes it, to the second.",
  },
  "meta.v1.MicroTime": {
    type: "string",
    format: "date-time",
    description: "A time as RFC 3339 writes it, to the microsecond.",
  },
  "meta.v1.Duration": { type: "string", description: "A duration such as 1m30s." },
  "meta.v1.FieldsV1": { type: "object", description: "A set of fields as a tree of their names." },
  "meta.v1.Patch": {
    type: "object",
    description: "The body of a PATCH; its media type says how it is meant.",
  },
  Quantity: { type: "string", description: quantityText },
  IntOrString: { type: "string", format: "int-or-string", description: intOrStringText },
  RawExtension: { type: "object", description: "An object of some other kind." },
  [jsonValue]: { description: "Any JSON value." },
  "apiextensions.v1.JSONSchemaPropsOrArray": { description: "A schema, or a list of schemas." },
  "apiextensions.v1.JSONSchemaPropsOrBool": { description: "A schema, or true or false." },
  "apiextensions.v1.JSONSchemaPropsOrStringArray": { description: "A schema, or a list of names." },
  VersionInfo: versionInfo(),
};

/** Only the third version can say that a value has one of two types. */
const version3Only: Readonly<Record<string, SchemaObject>> = {
  Quantity: { oneOf: [{ type: "string" }, { type: "number" }], description: quantityText },
  IntOrString: {
    oneOf: [{ type: "integer" }, { type: "string" }],
    format: "int-or-string",
    description: intOrStringText,
  },
};

function versionInfo(): SchemaObject {
  const always = [
    "major",
    "minor",
    "gitVersion",
    "gitCommit",
    "gitTreeState",
    "buildDate",
    "goVersion",
    "compiler",
    "platform",
  ];
  const emulation = [
    "emulationMajor",
    "emulationMinor",
    "minCompatibilityMajor",
    "minCompatibilityMinor",
  ];
  return {
    type: "object",
    description: "Version of the server.",
    required: always,
    properties: Object.fromEntries(
      [...always, ...emulation].sort().map((name) => [name, { type: "string" } as const]),
    ),
  };
}
