// Whatever the decoder lets through, defaults and rules must answer, never break: objects are drawn from the schema itself.
import {
  type Arbitrary,
  array,
  assert,
  bigInt,
  boolean,
  constant,
  constantFrom,
  dictionary,
  integer,
  oneof,
  property,
  record,
  string,
} from "fast-check";
import { expect, test } from "vitest";
import { normalize } from "../codec/normalize.ts";
import { prepareCreated } from "../defaults/creation.ts";
import { applyDefaults } from "../defaults/defaults.ts";
import type { KubeObject } from "../object.ts";
import { type FieldSchema, type ResourceSchema, schema } from "../schema/schema.ts";
import { validateCreate, validateUpdate } from "./validation.ts";
import { warningsFor } from "./warnings.ts";

/** Deeper messages are left empty. */
const depthMax = 7;
const runs = 40;

const word = oneof(
  string({ maxLength: 8 }),
  constantFrom(
    "a",
    "Always",
    "ClusterIP",
    "In",
    "Exists",
    "10.0.0.1",
    "a.b/c",
    "",
    "metadata.name",
  ),
);

function scalar(type: string): Arbitrary<unknown> {
  switch (type) {
    case "string":
      return word;
    case "bool":
      return boolean();
    case "int32":
    case "uint32":
      return integer({ min: 0, max: 100_000 });
    case "int64":
      return oneof(integer(), bigInt({ min: 2n ** 53n, max: 2n ** 62n }));
    case "double":
      return integer({ min: -5, max: 5 });
    case "bytes":
      return constantFrom("", "eA==", "e30=");
    case "time":
      return constantFrom(null, "2024-01-01T00:00:00Z");
    case "microTime":
      return constantFrom(null, "2024-01-01T00:00:00.000000Z");
    case "duration":
      return constant("1s");
    case "quantity":
      return constantFrom("1", "100m", "-1", "0", "1Gi", "1.5");
    case "intOrString":
      return oneof(integer({ min: -1, max: 70_000 }), constantFrom("25%", "http", "x!"));
    case "stringList":
      return array(word, { maxLength: 2 });
    default:
      return constant({});
  }
}

function field(schemaOf: FieldSchema, depth: number): Arbitrary<unknown> {
  const single =
    schemaOf.type in schema.types ? message(schemaOf.type, depth + 1) : scalar(schemaOf.type);
  if (schemaOf.container === "list") return oneof(constant(null), array(single, { maxLength: 2 }));
  if (schemaOf.container === "map") return dictionary(word, single, { maxKeys: 2 });
  return schemaOf.pointer ? oneof(constant(null), single) : single;
}

function message(typeId: string, depth: number): Arbitrary<object> {
  if (depth > depthMax) return constant({});
  const fields: Record<string, Arbitrary<unknown>> = {};
  for (const one of schema.types[typeId]?.fields ?? []) {
    if (one.inline) continue;
    if (one.type !== "apiextensions.v1.JSONSchemaProps") fields[one.name] = field(one, depth);
  }
  return record(fields, { requiredKeys: [] });
}

function decoded(resource: ResourceSchema, value: object): KubeObject {
  const given = { metadata: {}, ...value };
  const object = normalize(resource.type, given) as KubeObject;
  applyDefaults(resource.type, object);
  return object;
}

test.each(schema.resources.map((resource) => [resource.type, resource] as const))(
  "%s",
  (typeId, resource) => {
    const anything = message(typeId, 0);
    assert(
      property(anything, anything, (first, second) => {
        const old = decoded(resource, first);
        const now = decoded(resource, second);
        const before = structuredClone(now);
        applyDefaults(typeId, now);
        expect(now).toEqual(before);
        validateCreate(resource, now);
        for (const name of ["", ...resource.subresources.map((one) => one.name)]) {
          validateUpdate(resource, now, old, name);
        }
        warningsFor(resource, now, old);
        expect(now).toEqual(before);
        prepareCreated(typeId, now);
        validateCreate(resource, now);
      }),
      { numRuns: runs },
    );
  },
);
