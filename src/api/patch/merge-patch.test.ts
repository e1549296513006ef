import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonValue } from "../object.ts";
import { isMap } from "./json-tree.ts";
import { applyMergePatch } from "./merge-patch.ts";
import { equalJson } from "../../std/json.ts";

/** The smallest merge patch from one document to another; documents hold no null in objects. */
function diff(from: JsonValue, to: JsonValue): JsonValue {
  if (!isMap(from) || !isMap(to)) return to;
  const patch: Record<string, JsonValue> = {};
  for (const key of Object.keys(from)) if (!Object.hasOwn(to, key)) patch[key] = null;
  for (const key of Object.keys(to)) {
    const [left, right] = [from[key], to[key]!];
    if (left === undefined || !equalJson(left, right)) {
      patch[key] = left === undefined ? right : diff(left, right);
    }
  }
  return patch;
}

const key = fc.constantFrom("a", "b", "c", "d");
const { node } = fc.letrec<{ node: JsonValue; map: JsonValue }>((tie) => ({
  node: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom<JsonValue>(1, "x", true, 9007199254740993n, [1, { a: null }]),
    tie("map"),
  ),
  map: fc.dictionary(key, tie("node"), { noNullPrototype: true }),
}));
const documents = fc.dictionary(key, node, { noNullPrototype: true });

describe("a merge patch", () => {
  test("made as a difference leads to the other document", () => {
    fc.assert(
      fc.property(documents, documents, (from, to) => {
        expect(applyMergePatch(from, diff(from, to))).toEqual(to);
      }),
    );
  });

  test("changes nothing when applied twice", () => {
    fc.assert(
      fc.property(documents, documents, (document, patch) => {
        const once = applyMergePatch(document, patch);
        expect(applyMergePatch(once, patch)).toEqual(once);
      }),
    );
  });

  test.each<[JsonValue, JsonValue, JsonValue]>([
    [{ a: "b" }, { a: "c" }, { a: "c" }],
    [{ a: "b" }, { a: null }, {}],
    [{ a: ["b"] }, { a: "c" }, { a: "c" }],
    [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
    [{ a: [1] }, { a: [{ x: null }] }, { a: [{ x: null }] }],
    [{ a: "b" }, {}, { a: "b" }],
  ])("of %j by %j is %j", (document, patch, expected) => {
    expect(applyMergePatch(document, patch)).toEqual(expected);
  });

  test("that is no object is refused", () => {
    expect(() => applyMergePatch({}, [])).toThrow(
      "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}",
    );
  });

  test("never touches a prototype", () => {
    const patch = JSON.parse(
      '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
    );
    const result = applyMergePatch({}, patch);
    expect(Object.keys(result as object)).toEqual(["__proto__", "constructor"]);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });
});
