import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  copyJson,
  equalJson,
  findDuplicateKeys,
  getKey,
  hasDuplicateKeys,
  jsonDepthMax,
  parseJson,
  parseJsonTracked,
  setKey,
  stringifyJson,
} from "./json.ts";
import { JsonReader } from "./json-reader.ts";

const jsonValue = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constant(null),
    fc.boolean(),
    fc.string({ unit: "binary" }),
    fc.maxSafeInteger(),
    fc
      .double({ noNaN: true, noDefaultInfinity: true })
      .filter((number) => !Number.isInteger(number) || Number.isSafeInteger(number))
      .map((number) => number + 0),
    fc.bigInt({ min: 2n ** 53n, max: 2n ** 80n }),
    fc.bigInt({ min: -(2n ** 80n), max: -(2n ** 53n) }),
    fc.array(tie("value")),
    fc.dictionary(fc.oneof(fc.string(), fc.constant("__proto__")), tie("value")),
  ),
})).value;

describe("parseJson and stringifyJson", () => {
  test("lose nothing", () => {
    fc.assert(
      fc.property(jsonValue, (value) => {
        const text = stringifyJson(value);
        expect(stringifyJson(parseJson(text))).toBe(text);
        expect(equalJson(parseJson(text), value)).toBe(true);
      }),
    );
  });

  test("keep integers beyond 2^53 and use doubles for the rest", () => {
    const text = '{"a":9007199254740993,"b":-18446744073709551615,"c":9007199254740991,"d":1.5}';
    expect(parseJson(text)).toEqual({
      a: 9007199254740993n,
      b: -18446744073709551615n,
      c: 9007199254740991,
      d: 1.5,
    });
    expect(stringifyJson(parseJson(text))).toBe(text);
  });

  test.each([
    "9007199254740993",
    "[1,9007199254740993]",
    '{"a": 9007199254740993 }',
    "[9007199254740993\n]",
  ])("see the long integer in %s", (text) => {
    expect(stringifyJson(parseJson(text))).toBe(text.replaceAll(/\s/g, ""));
  });

  test("treat digests of nothing but digits as text", () => {
    const image = `app@sha256:${"0123456789".repeat(6)}0123`;
    expect(parseJson(JSON.stringify({ image, next: 1 }))).toEqual({ image, next: 1 });
  });

  test("treat long digits inside strings as text", () => {
    expect(parseJson('{"a":"1234567890123456789","b":[ "x 1234567890123456789"]}')).toEqual({
      a: "1234567890123456789",
      b: ["x 1234567890123456789"],
    });
  });

  test("read every escape, also on the slow path", () => {
    const text = String.raw`["\"\\\/\b\f\n\r\té\ud83d\ude00",1234567890123456789]`;
    expect(parseJson(text)).toEqual(['"\\/\b\f\n\r\té😀', 1234567890123456789n]);
  });

  test("leave undefined fields out, also beside a bigint", () => {
    expect(stringifyJson({ a: undefined, b: 1 })).toBe('{"b":1}');
    expect(stringifyJson({ a: undefined, b: 2n ** 60n })).toBe('{"b":1152921504606846976}');
  });
});

describe("errors read like Go's", () => {
  const cases: [string, string][] = [
    ["", "unexpected end of JSON input"],
    ['{"a":', "unexpected end of JSON input"],
    ['{"a":"b', "unexpected end of JSON input"],
    ["abc", "invalid character 'a' looking for beginning of value"],
    ["'a'", "invalid character '\\'' looking for beginning of value"],
    ["{a:1}", "invalid character 'a' looking for beginning of object key string"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":1 "b":2}', "invalid character '\"' after object key:value pair"],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    ["[1 2]", "invalid character '2' after array element"],
    ["[1,]", "invalid character ']' looking for beginning of value"],
    ["{} x", "invalid character 'x' after top-level value"],
    ["01", "invalid character '1' after top-level value"],
    ["-x", "invalid character 'x' in numeric literal"],
    ["1.x", "invalid character 'x' after decimal point in numeric literal"],
    ["1ex", "invalid character 'x' in exponent of numeric literal"],
    ["trux", "invalid character 'x' in literal true (expecting 'e')"],
    ["nul", "unexpected end of JSON input"],
    [String.raw`"\x"`, "invalid character 'x' in string escape code"],
    [String.raw`"\u12g4"`, "invalid character 'g' in \\u hexadecimal character escape"],
    ['"a\nb"', "invalid character '\\n' in string literal"],
    ["\u00e9", "invalid character 'Ã' looking for beginning of value"],
    ["\u0001", "invalid character '\\x01' looking for beginning of value"],
    ["\ufeff{}", "invalid character 'ï' looking for beginning of value"],
  ];
  test.each(cases)("%j", (text, message) => {
    expect(() => parseJson(text)).toThrow(new SyntaxError(message));
  });

  test("too deep on either path, and a little less is read", () => {
    const nested = (depth: number, core: string) => "[".repeat(depth) + core + "]".repeat(depth);
    for (const core of ["", "1234567890123456789"]) {
      expect(() => parseJson(nested(jsonDepthMax + 1, core))).toThrow("exceeded max depth");
      expect(stringifyJson(parseJson(nested(jsonDepthMax, core)))).toBe(nested(jsonDepthMax, core));
    }
    expect(() => parseJson("1".repeat(3_000_000))).toThrow("of more than 1000 digits");
    expect(() => parseJson("[".repeat(3_000_000))).toThrow("exceeded max depth");
    expect(() => parseJson('{"a":'.repeat(600_000))).toThrow("exceeded max depth");
  });
});

test("our reader accepts what the engine accepts, and reads the same", () => {
  const piece = fc.constantFrom(
    ...Array.from('{}[],:"\\ \n-+.eE0123456789truefalsn\u00e9'),
    '"a":',
    '"b"',
    "\\u12aB",
    "null",
  );
  const text = fc.oneof(
    fc.json(),
    fc.array(piece, { maxLength: 12 }).map((list) => list.join("")),
  );
  fc.assert(
    fc.property(text, fc.nat(), piece, (original, at, inserted) => {
      for (const cut of [original.length, at % (original.length + 1)]) {
        const input =
          original.slice(0, cut) + (cut < original.length ? inserted : "") + original.slice(cut);
        let expected: { value: unknown } | undefined;
        try {
          expected = { value: JSON.parse(input) as unknown };
        } catch {
          expect(() => new JsonReader(input, jsonDepthMax).read()).toThrow(SyntaxError);
          continue;
        }
        const value = new JsonReader(input, jsonDepthMax).read();
        if (!/\d{16}/.test(input)) expect(equalJson(value, expected.value)).toBe(true);
      }
    }),
    { numRuns: 2_000 },
  );
});

describe("duplicate keys", () => {
  const cases: [string, string[]][] = [
    ['{"a":1,"b":{"a":1}}', []],
    ['{"a":1,"a":2}', ["a"]],
    [
      '{"spec":{"x":1,"ports":[{"name":"a"},{"name":"b","name":"c"}],"x":2}}',
      ["spec.x", "spec.ports[1].name"],
    ],
    ['{"a":1,"a":2,"a":3}', ["a"]],
    [String.raw`{"a":"\"x\":\\","b":":","c\\":1}`, []],
    [String.raw`{"a\\":1, "a\\" : 2}`, ["a\\"]],
  ];
  test.each(cases)("%s", (text, paths) => {
    expect(hasDuplicateKeys(text, parseJson(text))).toBe(paths.length > 0);
    expect(findDuplicateKeys(text).toSorted()).toEqual(paths.toSorted());
  });

  test("the last value stands, as with JSON.parse", () => {
    const text = '{"a":1,"b":2,"a":{"c":3}}';
    expect(parseJsonTracked(text).value).toEqual(JSON.parse(text));
  });

  test("no JSON without them is suspected", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const value: unknown = JSON.parse(text);
        const compact = JSON.stringify(value);
        expect(hasDuplicateKeys(compact, value)).toBe(false);
        expect(hasDuplicateKeys(JSON.stringify(value, null, 2), value)).toBe(false);
      }),
    );
  });
});

describe("__proto__ is a key like any other", () => {
  const text = '{"__proto__":{"polluted":1},"n":1234567890123456789}';
  test.each([
    ["read by us", () => parseJson(text)],
    ["copied", () => copyJson(parseJson(text))],
    ["read by the engine", () => parseJson('{"__proto__":{"polluted":1},"n":1}')],
  ])("%s", (_, make) => {
    const value = make();
    expect(Object.keys(value as object)).toEqual(["__proto__", "n"]);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  test("setKey and getKey see own properties only", () => {
    const target: Record<string, unknown> = {};
    setKey(target, "__proto__", { a: 1 });
    expect(getKey(target, "__proto__")).toEqual({ a: 1 });
    expect(getKey({}, "__proto__")).toBeUndefined();
    expect(getKey({}, "constructor")).toBeUndefined();
    expect((target as { a?: number }).a).toBeUndefined();
  });
});

test("copyJson copies deeply", () => {
  const value = { a: [{ b: 1 }], c: 5n };
  const copy = copyJson(value);
  expect(copy).toEqual(value);
  expect(copy.a[0]).not.toBe(value.a[0]);
});

describe("equalJson", () => {
  const cases: [unknown, unknown, boolean][] = [
    [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
    [{ a: 1, b: undefined }, { a: 1 }, true],
    [{ a: 1 }, { a: 1, b: null }, false],
    [[1, 2], [2, 1], false],
    [[], {}, false],
    [null, {}, false],
    [{ a: [{ b: 5n }] }, { a: [{ b: 5n }] }, true],
  ];
  test.each(cases.map((row, index) => [index, row] as const))("case %i", (_, [a, b, equal]) => {
    expect(equalJson(a, b)).toBe(equal);
    expect(equalJson(b, a)).toBe(equal);
  });
});
