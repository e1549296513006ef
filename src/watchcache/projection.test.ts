import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Projection } from "./projection.ts";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The specification: JSON.parse, then keep the wanted paths. */
function pick(value: unknown, paths: readonly (readonly string[])[]): unknown {
  if (paths.some((path) => path.length === 0)) return value;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const names = new Set(paths.map(([name]) => name!));
  const kept = Object.entries(value).filter(([name]) => names.has(name));
  return Object.fromEntries(
    kept.map(([name, inner]) => [
      name,
      pick(
        inner,
        paths.filter(([first]) => first === name).map((path) => path.slice(1)),
      ),
    ]),
  );
}

const name = fc.constantFrom("a", "b", "c", "d\n", 'e"', "é", "");
const { object } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.string({ unit: "grapheme", maxLength: 5 }),
    fc.constantFrom("\\", '"', "}", "]", "\\\\", '\\"'),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 3 }),
    tie("object"),
  ),
  object: fc.dictionary(name, tie("value"), { maxKeys: 5 }),
}));

const wantedPaths = fc.array(
  fc.array(
    name.filter((text) => text !== ""),
    { minLength: 1, maxLength: 3 },
  ),
  { maxLength: 4 },
);

describe("Projection", () => {
  it("reads what JSON.parse would, for any object, paths and white space", () => {
    fc.assert(
      fc.property(object, wantedPaths, fc.constantFrom(0, 2, "\t"), (value, paths, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        const projection = new Projection(paths.map((path) => path.join(".")));
        const expected = pick(JSON.parse(text), paths);
        expect(projection.read(encode(text))).toEqual(expected);
        expect(projection.read(encode(text))).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });

  it("finds every value that was cut off", () => {
    fc.assert(
      fc.property(object, fc.nat(), (value, cut) => {
        const bytes = encode(JSON.stringify(value));
        const torn = bytes.subarray(0, cut % bytes.length);
        expect(() => new Projection(["a.b"]).read(torn)).toThrow(SyntaxError);
      }),
    );
  });

  const table: [text: string, paths: string[], expected: unknown][] = [
    ["{}", ["a"], {}],
    ['{"a":1,"a":2}', ["a"], { a: 2 }],
    ['{"a":{"b":1},"a":{"c":2}}', ["a.b"], { a: {} }],
    ['{"\\u0061":{"b":"x"}}', ["a.b"], { a: { b: "x" } }],
    ['{"a":[1,{"b":"}"}],"c":true}', ["c"], { c: true }],
    ['{"a":null}', ["a.b"], { a: null }],
    ['{"a":{"b":{"c":1}}}', ["a", "a.b"], { a: { b: { c: 1 } } }],
  ];
  it.each(table)("%s %j", (text, paths, expected) => {
    expect(new Projection(paths).read(encode(text))).toEqual(expected);
  });

  const refused = ["", "[]", "1", "{} x", '{"a":tru}', '{"a" 1}', '{"a":1,}', "{a:1}", '{"a":}'];
  it.each(refused)("refuses %j", (text) => {
    expect(() => new Projection(["a"]).read(encode(text))).toThrow(SyntaxError);
  });
});
