import { describe, expect, it } from "vitest";
import { type JsonSchema, checkJson } from "./json-schema.ts";

const shape: JsonSchema = {
  oneOf: [
    {
      type: "object",
      properties: { kind: { const: "circle" }, radius: { type: "number", minimum: 0 } },
      required: ["kind", "radius"],
    },
    {
      type: "object",
      properties: { kind: { const: "square" }, side: { type: "integer", default: 3 } },
      required: ["kind"],
    },
  ],
};

const schema: JsonSchema = {
  type: "object",
  properties: {
    name: { type: "string", pattern: "^[a-z]+$", examples: ["storm"] },
    colour: { type: "string", enum: ["red", "blue"], default: "red" },
    shapes: { type: "array", items: shape, maxItems: 2 },
  },
  required: ["name"],
};

const said = (value: unknown): string[] =>
  checkJson(schema, value).complaints.map(({ path, message }) => `${path.join("/")}: ${message}`);

describe("a check by schema", () => {
  it("fills in defaults, also within", () => {
    const { value, complaints } = checkJson(schema, { name: "a", shapes: [{ kind: "square" }] });
    expect(complaints).toEqual([]);
    expect(value).toEqual({ name: "a", colour: "red", shapes: [{ kind: "square", side: 3 }] });
  });

  it.each([
    [{}, ': name is missing: expected text like "storm"'],
    [{ name: "A" }, 'name: expected text like "storm", found "A"'],
    [{ name: 3 }, 'name: expected text like "storm", found 3'],
    [{ name: "a", colour: "green" }, 'colour: expected one of red, blue, found "green"'],
    [{ name: "a", color: "red" }, "color: there is no field color: meant colour?"],
    [{ name: "a", zzz: 1 }, "zzz: there is no field zzz: expected one of name, colour, shapes"],
    [{ name: "a", shapes: {} }, "shapes: expected a list, found an object"],
    [
      { name: "a", shapes: [1] },
      "shapes/0: expected an object with kind: circle | square, found 1",
    ],
    [
      { name: "a", shapes: [{ kind: "line" }] },
      'shapes/0/kind: expected kind: circle | square; found "line"',
    ],
    [{ name: "a", shapes: [{}] }, "shapes/0: expected kind: circle | square; kind is missing"],
    [
      { name: "a", shapes: [{ kind: "circle", radius: -1 }] },
      "shapes/0/radius: expected a number from 0, found -1",
    ],
    [
      { name: "a", shapes: [{ kind: "square", side: 1.5 }] },
      "shapes/0/side: expected a whole number, found 1.5",
    ],
    [
      { name: "a", shapes: Array.from({ length: 3 }, () => ({ kind: "square" })) },
      "shapes: expected at most 2 of them",
    ],
  ])("says where and what was expected: %j", (value, complaint) => {
    expect(said(value)).toEqual([complaint]);
  });

  it.each(["constructor", "toString", "__proto__"])("knows no field %s", (name) => {
    const value: unknown = JSON.parse(`{"name":"a","${name}":{"x":3}}`);
    const all = "name, colour, shapes";
    expect(said(value)).toEqual([`${name}: there is no field ${name}: expected one of ${all}`]);
    const labels: JsonSchema = { type: "object", additionalProperties: { type: "string" } };
    expect(checkJson(labels, value).complaints.map(({ path }) => path)).toEqual([[name]]);
  });

  it("tells everything that is wrong at once", () => {
    expect(said({ colour: 1, shapes: [{ kind: "circle" }] })).toHaveLength(3);
  });
});
