import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compareNaturally, decodeYaml, decodeYamlTracked, encodeYaml } from "./yaml.ts";

describe("scalars mean what they mean to go-yaml v2", () => {
  test.each([
    ["yes", true],
    ["No", false],
    ["ON", true],
    ["off", false],
    ["y", true],
    ["N", false],
    ["True", true],
    ["tRue", "tRue"],
    ["~", null],
    ["", null],
    ["Null", null],
    ["nUll", "nUll"],
    ["0644", 420],
    ["-010", -8],
    ["08", 8],
    ["0o17", 15],
    ["0x1F", 31],
    ["0b101", 5],
    ["1_000", 1000],
    ["+5", 5],
    ["1.5", 1.5],
    ["1e3", 1000],
    [".5", 0.5],
    ["1.", 1],
    ["1:30", "1:30"],
    ["2024-05-06", "2024-05-06"],
    ["2024-05-06T07:08:09Z", "2024-05-06T07:08:09Z"],
    ["1.2.3", "1.2.3"],
    ["0x", "0x"],
    ["100m", "100m"],
    ["'yes'", "yes"],
    ['"0644"', "0644"],
    ["!!str 5", "5"],
    ["!!int '7'", 7],
    ["|\n  a\n  b", "a\nb\n"],
    [">-\n  a\n  b", "a b"],
  ] as [string, unknown][])("%s", (text, value) => {
    expect(decodeYaml(`a: ${text}\n`)).toEqual({ a: value });
  });

  test("integers keep their digits", () => {
    const { a, b, c } = decodeYaml(
      "a: 9007199254740993\nb: 18446744073709551615\nc: 18446744073709551616",
    ) as Record<string, unknown>;
    expect(a === 9007199254740993n && b === 18446744073709551615n && c === 2 ** 64).toBe(true);
  });
});

describe("documents", () => {
  test.each([
    ["", null],
    ["# nothing\n", null],
    ["---\na: 1\n---\nb: 2\n", { a: 1 }],
    ["- 1\n- a: b\n", [1, { a: "b" }]],
    ["1: a\ntrue: b\n1.5: c\n", { 1: "a", true: "b", "1.5": "c" }],
    ['{"a":[1,2]}', { a: [1, 2] }],
    ["{a: 1, b: [x,]}", { a: 1, b: ["x"] }],
    [
      "a: &x {b: 1}\nc: *x\nd:\n  <<: *x\n  e: 2\n",
      { a: { b: 1 }, c: { b: 1 }, d: { b: 1, e: 2 } },
    ],
    [
      "a: &x {k: 1}\nb: &y {k: 2, l: 3}\nc:\n  k: 0\n  <<: [*x, *y]\n",
      { a: { k: 1 }, b: { k: 2, l: 3 }, c: { k: 0, l: 3 } },
    ],
  ] as [string, unknown][])("%j", (text, value) => {
    expect(decodeYaml(text)).toEqual(value);
  });

  test.each([
    ["a: b: c", /^yaml: line 1: /],
    ["a:\n\tb: 1", /^yaml: line 2: /],
    ["a: 'x", /^yaml: line \d: /],
    ["[", /^yaml: line 1: /],
    ["a: *b", "yaml: unknown anchor 'b' referenced"],
    ["a: &a [*a]", "yaml: anchor 'a' value contains itself"],
    ["~: 1", "unsupported map key of type: null"],
    ["[1]: 1", "unsupported map key of type: object"],
    ["a:\n  <<: 5\n", "yaml: map merge requires map or sequence of maps as the value"],
    ["- a\n".repeat(100_000), /more than 150000 tokens/],
    ["a: 1\n" + "]\n".repeat(40_000), /^yaml: line 2: /],
    ["a: " + "[".repeat(1_000_000), /max depth/],
    ["- ".repeat(1_000_000), /max depth/],
  ] as [string, string | RegExp][])("%.20j is refused", (text, message) => {
    expect(() => decodeYaml(text)).toThrow(message);
  });

  test("a long text of few tokens is read", () => {
    const text = `${"x".repeat(100)}\n`.repeat(30_000);
    expect(decodeYaml(`a: |\n  ${text.trimEnd().replaceAll("\n", "\n  ")}\n`)).toEqual({ a: text });
  });

  test("repeated keys are noted, the last value stands", () => {
    expect(decodeYamlTracked("a: 1\nb:\n  c: 1\n  c: 2\na: 3\n")).toEqual({
      value: { a: 3, b: { c: 2 } },
      duplicates: ['line 4: key "c" already set in map', 'line 5: key "a" already set in map'],
    });
  });

  test("__proto__ is a key like any other", () => {
    const value = decodeYaml("__proto__:\n  a: 1\nb: {<<: {__proto__: {c: 1}}}\n") as {
      a?: number;
      b: { c?: number };
    };
    expect(Object.keys(value)).toEqual(["__proto__", "b"]);
    expect([value.a, value.b.c]).toEqual([undefined, undefined]);
  });
});

describe("hostile text ends in an error, soon", () => {
  const laughs = ["a0: &a0 [x,x,x,x,x,x,x,x,x]"];
  for (let level = 1; level < 12; level++)
    laughs.push(
      `a${level}: &a${level} [${Array(9)
        .fill(`*a${level - 1}`)
        .join(",")}]`,
    );
  test.each([
    ["billion laughs", laughs.join("\n"), "excessive aliasing"],
    ["brackets", "[".repeat(30_000), "exceeded max depth"],
    ["balanced brackets", "[".repeat(15_000) + "]".repeat(15_000), "exceeded max depth"],
    ["dashes", "- ".repeat(15_000), "exceeded max depth"],
    ["question marks", "? ".repeat(15_000), "exceeded max depth"],
    ["braces", "{a: ".repeat(7_500), "exceeded max depth"],
  ])("%s", (_, text, message) => {
    expect(() => decodeYaml(text)).toThrow(message);
  });
});

describe("encodeYaml", () => {
  test("sorts keys and quotes what would be misread", () => {
    const value = {
      kind: "Pod",
      apiVersion: "v1",
      metadata: { name: "yes", labels: { a10: "1", a2: "0644", B: "null", "": "~" } },
      spec: {
        list: [{ b: 1, a: [true] }, {}, []],
        none: [],
        empty: {},
        nothing: null,
        on: "2024-01-02T00:00:00Z",
      },
      big: 9007199254740993n,
      text: "line 1\nline 2\n",
      long: `${"word ".repeat(40)}end`,
    };
    expect(encodeYaml(value)).toBe(`apiVersion: v1
big: 9007199254740993
kind: Pod
long: ${"word ".repeat(40)}end
metadata:
  labels:
    "": "~"
    B: "null"
    a2: "0644"
    a10: "1"
  name: "yes"
spec:
  empty: {}
  list:
  - a:
    - true
    b: 1
  - {}
  - []
  none: []
  nothing: null
  "on": "2024-01-02T00:00:00Z"
text: |
  line 1
  line 2
`);
  });

  test("what it writes reads back the same", () => {
    const word = fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.constantFrom(
        "yes",
        "0644",
        "1e3",
        "~",
        "",
        " a",
        "a: b",
        "# c",
        "- d",
        "a\nb",
        "0x1f",
        "1:30",
        "2024-01-01",
        "<<",
        "&a",
        "*a",
        "!x",
        "%",
        "@",
        "`",
        "null",
        "1_0",
        ".5",
        "\t",
      ),
    );
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        word,
        fc.boolean(),
        fc.constant(null),
        fc.maxSafeInteger(),
        fc.bigInt({ min: 2n ** 53n, max: 2n ** 63n - 1n }),
        fc
          .double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 })
          .map((number) => number + 0),
        fc.array(tie("value"), { maxLength: 4 }),
        fc.dictionary(word, tie("value"), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(value, (original) => {
        expect(decodeYaml(encodeYaml(original))).toEqual(original);
      }),
      { numRuns: 300 },
    );
  });

  test("natural order", () => {
    const keys = ["b", "a10", "a2", "A", "a", "1", "10", "2", "a-b", "ab", "_x", "a1b", "a01"];
    expect(keys.toSorted(compareNaturally)).toEqual([
      "_x",
      "1",
      "2",
      "10",
      "A",
      "a",
      "a-b",
      "a01",
      "a1b",
      "a2",
      "a10",
      "ab",
      "b",
    ]);
  });
});
