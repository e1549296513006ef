import { describe, expect, test } from "vitest";
import type { StatusError } from "../meta/errors.ts";
import type { JsonValue } from "../object.ts";
import { applyJsonPatch, decodeJsonPatch } from "./json-patch.ts";

const apply = (document: JsonValue, patch: JsonValue): JsonValue =>
  applyJsonPatch(document, decodeJsonPatch(patch).operations);

function codeOf(run: () => unknown): number {
  try {
    run();
  } catch (error) {
    return (error as StatusError).code;
  }
  throw new Error("nothing was thrown");
}

describe("a JSON patch", () => {
  const document = { a: [1, 2, 3], "x/y": { "~": true }, s: "t", big: 9007199254740993n };

  test.each<[string, JsonValue, JsonValue]>([
    ["adds a member", [{ op: "add", path: "/n", value: { k: 1 } }], { ...document, n: { k: 1 } }],
    ["inserts before", [{ op: "add", path: "/a/1", value: 9 }], { ...document, a: [1, 9, 2, 3] }],
    ["appends", [{ op: "add", path: "/a/-", value: 9 }], { ...document, a: [1, 2, 3, 9] }],
    [
      "appends at the length",
      [{ op: "add", path: "/a/3", value: 9 }],
      { ...document, a: [1, 2, 3, 9] },
    ],
    ["counts from the end", [{ op: "remove", path: "/a/-1" }], { ...document, a: [1, 2] }],
    [
      "unescapes",
      [{ op: "replace", path: "/x~1y/~0", value: 0 }],
      { ...document, "x/y": { "~": 0 } },
    ],
    [
      "moves",
      [{ op: "move", from: "/s", path: "/a/0" }],
      { a: ["t", 1, 2, 3], "x/y": { "~": true }, big: document.big },
    ],
    ["copies", [{ op: "copy", from: "/a", path: "/s" }], { ...document, s: [1, 2, 3] }],
    ["tests", [{ op: "test", path: "/a", value: [1, 2, 3] }], document],
    ["finds null where nothing is", [{ op: "test", path: "/none", value: null }], document],
    ["replaces everything", [{ op: "replace", path: "", value: { z: 1 } }], { z: 1 }],
  ])("%s", (_, patch, expected) => {
    expect(apply(document, patch)).toEqual(expected);
  });

  test.each<[string, JsonValue]>([
    ["a failed test", [{ op: "test", path: "/s", value: "u" }]],
    ["removing nothing", [{ op: "remove", path: "/none" }]],
    ["replacing nothing", [{ op: "replace", path: "/none", value: 1 }]],
    ["a missing parent", [{ op: "add", path: "/none/x", value: 1 }]],
    ["an index behind the end", [{ op: "add", path: "/a/4", value: 1 }]],
    ["a word as index", [{ op: "add", path: "/a/x", value: 1 }]],
    ["an inherited name", [{ op: "remove", path: "/constructor" }]],
    ["an unknown operation", [{ op: "frob", path: "/s" }]],
    ["a path into a string", [{ op: "add", path: "/s/x", value: 1 }]],
  ])("refuses %s with 422", (_, patch) => {
    const before = structuredClone(document);
    expect(codeOf(() => apply(document, patch))).toBe(422);
    expect(document).toEqual(before);
  });

  test.each<[string, JsonValue, number]>([
    ["an object", {}, 400],
    ["a list of strings", ["x"], 400],
    ["a number as path", [{ op: "add", path: 3 }], 400],
    ["too many operations", Array.from({ length: 10_001 }, () => ({ op: "test" })), 413],
  ])("does not decode %s", (_, patch, code) => {
    expect(codeOf(() => decodeJsonPatch(patch))).toBe(code);
  });

  test("reports fields that no operation has", () => {
    expect(decodeJsonPatch([{ op: "add", path: "/a", value: 1, foo: 1 }]).problems).toEqual([
      'json patch unknown field "[0].foo"',
    ]);
  });

  test("bounds what copies add up to", () => {
    const copy = { op: "copy", from: "/a", path: "/a/-" };
    const seed = { a: ["x".repeat(1000)] };
    expect(
      codeOf(() =>
        apply(
          seed,
          Array.from({ length: 60 }, () => copy),
        ),
      ),
    ).toBe(422);
  });

  test("bounds how many list elements are pushed aside", () => {
    const seed = { a: Array.from({ length: 50_000 }, () => 1) };
    const insert = { op: "add", path: "/a/0", value: 2 };
    const remove = { op: "remove", path: "/a/0" };
    const times = (count: number) => Array.from({ length: count }, () => [insert, remove]).flat();
    expect(apply(seed, times(500))).toEqual(seed);
    expect(codeOf(() => apply(seed, times(5_000)))).toBe(422);
  });

  test("never touches a prototype", () => {
    const patch = JSON.parse('[{"op":"add","path":"/__proto__","value":{"polluted":true}}]');
    const result = apply({}, patch) as Record<string, unknown>;
    expect(Object.keys(result)).toEqual(["__proto__"]);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });
});
