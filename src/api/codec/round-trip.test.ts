// Random objects of random types through every codec. The generator reads the schema, so a new type is tested at once.
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { equalJson, parseJson, setKey, stringifyJson } from "../../std/json.ts";
import { decodeUtf8 } from "../../std/utf8.ts";
import { type FieldSchema, schema } from "../schema/schema.ts";
import { encodeJson } from "./encode-json.ts";
import { findMessageType, jsonFields } from "./message-types.ts";
import { normalize } from "./normalize.ts";
import { decodeProtobuf, encodeProtobuf } from "./protobuf.ts";
import { DecodeError } from "./decode-error.ts";
import { decodeYaml, encodeYaml } from "./yaml.ts";

/** Draws from a seed, so that fast-check has two small values to vary and print. */
class Draw {
  /** Fields of one object, nested ones too: few have more, and YAML of some 150,000 tokens is refused. */
  private fieldsLeft = 5_000;
  private state: number;
  constructor(seed: number) {
    this.state = seed >>> 0;
  }
  below(limit: number): number {
    this.state = (Math.imul(this.state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.state / 4_294_967_296) * limit);
  }
  of<T>(values: readonly T[]): T {
    return values[this.below(values.length)]!;
  }
  hasField(): boolean {
    return this.below(3) !== 0 && this.fieldsLeft-- > 0;
  }
}

const depthMax = 4;
const texts = [
  "",
  "a",
  "web",
  "ü😀\u0000",
  "x".repeat(40),
  "127.0.0.1",
  "__proto__",
  "10",
  "yes",
  "a\nb",
];
const scalarValues: Record<string, (draw: Draw) => unknown> = {
  string: (draw) => draw.of(texts),
  bool: (draw) => draw.below(2) === 1,
  int32: (draw) => draw.of([0, 1, -1, 80, 2_147_483_647, -2_147_483_648]),
  uint32: (draw) => draw.of([0, 1, 4_294_967_295]),
  int64: (draw) =>
    draw.of([
      0,
      1,
      -1,
      2 ** 31,
      2 ** 40,
      -(2 ** 40),
      Number.MAX_SAFE_INTEGER,
      2n ** 53n,
      -(2n ** 63n),
      2n ** 63n - 1n,
    ]),
  double: (draw) => draw.of([0, 1.5, -1e300, 3]),
  bytes: (draw) => draw.of(["", "aGk=", "AAH/", "aG\nk="]),
  time: (draw) =>
    draw.of([null, "2024-05-06T07:08:09Z", "1969-01-01T00:00:00Z", "2024-05-06T07:08:09.5+02:00"]),
  microTime: (draw) =>
    draw.of([null, "2024-05-06T07:08:09.000001Z", "1969-01-01T00:00:00.999999Z"]),
  duration: (draw) => draw.of(["0s", "5s", "1m0s"]),
  quantity: (draw) => draw.of(["0", "1", "100m", "1024Mi", 5, "1.5", "1e3", "0.1n", "-3Ki"]),
  intOrString: (draw) => draw.of([0, 8080, -1, "", "25%", "http"]),
  json: (draw) => draw.of([{ "f:a": {}, b: [1, null, "x"] }, [], "x", 5, true, 2n ** 62n]),
  rawExtension: (draw) => draw.of([{ kind: "X", apiVersion: "y/v1", n: 1.5 }, { a: [] }]),
  stringList: (draw) => draw.of([[], ["a"], ["a", "", "b"]]),
};

function objectOf(typeId: string, draw: Draw, depth = 0): Record<string, unknown> {
  const type = findMessageType(typeId)!;
  const target: Record<string, unknown> = {};
  for (const field of jsonFields(type)) {
    // kind and apiVersion do not travel in messages.
    if (field.number === 0 || !draw.hasField()) continue;
    const value = fieldValue(field, draw, depth);
    if (value !== undefined) target[field.name] = value;
  }
  return target;
}

function fieldValue(field: FieldSchema, draw: Draw, depth: number): unknown {
  if (draw.below(12) === 0) return null;
  const one = (): unknown => valueOf(field.type, draw, depth);
  if (field.container === "list") return Array.from({ length: draw.below(3) }, one);
  if (field.container === undefined) return one();
  const map: Record<string, unknown> = {};
  for (let count = draw.below(3); count > 0; count--) setKey(map, draw.of(texts), one());
  return map;
}

function valueOf(type: string, draw: Draw, depth: number): unknown {
  const scalar = scalarValues[type];
  if (scalar !== undefined) return scalar(draw);
  if (depth >= depthMax) return {};
  const schemaProps = () => objectOf("apiextensions.v1.JSONSchemaProps", draw, depth + 2);
  if (type === "schemaOrBool") return draw.below(2) === 0 ? draw.below(2) === 0 : schemaProps();
  if (type === "schemaOrArray")
    return draw.below(2) === 0 ? [schemaProps(), schemaProps()] : schemaProps();
  if (type === "schemaOrStringArray") return draw.below(2) === 0 ? ["a", "b"] : schemaProps();
  return objectOf(type, draw, depth + 1);
}

const kinds = schema.resources.map((resource) => resource.type);
const typeIds = [
  ...Object.keys(schema.types),
  ...kinds.map((kind) => `${kind}List`),
  "meta.v1.PartialObjectMetadataList",
];
const cases = fc.tuple(fc.constantFrom(...typeIds), fc.integer({ min: 0, max: 2 ** 31 }));
const runs = { numRuns: 400 };

describe("random objects of random types", () => {
  test("protobuf gives back the normal object", () => {
    fc.assert(
      fc.property(cases, ([typeId, seed]) => {
        const normal = normalize(typeId, objectOf(typeId, new Draw(seed))) as object;
        const back = decodeProtobuf(typeId, encodeProtobuf(typeId, normal));
        expect(stringifyJson(back)).toBe(stringifyJson(normal));
      }),
      runs,
    );
  });

  test("a normal object is a fixed point, and in order", () => {
    fc.assert(
      fc.property(cases, ([typeId, seed]) => {
        const normal = normalize(typeId, objectOf(typeId, new Draw(seed))) as object;
        const text = stringifyJson(normal);
        expect(stringifyJson(normalize(typeId, parseJson(text)))).toBe(text);
        expect(decodeUtf8(encodeJson(typeId, normal))).toBe(text);
      }),
      runs,
    );
  });

  test("YAML gives back the same value", () => {
    fc.assert(
      fc.property(cases, ([typeId, seed]) => {
        const normal = normalize(typeId, objectOf(typeId, new Draw(seed)));
        expect(equalJson(normalize(typeId, decodeYaml(encodeYaml(normal))), normal)).toBe(true);
      }),
      { numRuns: 100 },
    );
  });

  test("protobuf that was damaged decodes or is refused, and soon", () => {
    fc.assert(
      fc.property(
        cases,
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 4 }),
        fc.nat(),
        ([typeId, seed], damage, cut) => {
          const bytes = encodeProtobuf(
            typeId,
            normalize(typeId, objectOf(typeId, new Draw(seed))) as object,
          );
          if (bytes.length === 0) return;
          for (const [at, value] of damage) bytes[at % bytes.length] = value;
          try {
            decodeProtobuf(typeId, bytes.subarray(0, bytes.length - (cut % 5)));
          } catch (error) {
            expect(error).toBeInstanceOf(DecodeError);
          }
        },
      ),
      runs,
    );
  });
});
