import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeUtf8, encodeUtf8 } from "../../std/utf8.ts";
import { isServedFrom, spliceResourceVersion, stripResourceVersion } from "./resource-version.ts";

const splice = (text: string, revision: number) =>
  decodeUtf8(spliceResourceVersion(encodeUtf8(text), revision));
const strip = (text: string) => decodeUtf8(stripResourceVersion(encodeUtf8(text)));

describe("spliceResourceVersion", () => {
  const head = '{"kind":"Pod","apiVersion":"v1","metadata":';
  test.each([
    ["{}}", '{"resourceVersion":"7"}}'],
    ['{"name":"a"}}', '{"name":"a","resourceVersion":"7"}}'],
    ['{"labels":{"name":"x"}}}', '{"resourceVersion":"7","labels":{"name":"x"}}}'],
    [
      '{"name":"a","generateName":"a-","namespace":"n","uid":"u","labels":{}},"spec":{}}',
      '{"name":"a","generateName":"a-","namespace":"n","uid":"u","resourceVersion":"7","labels":{}},"spec":{}}',
    ],
    [
      '{"name":"q\\"}{\\\\","uid":"ü"},"x":1}',
      '{"name":"q\\"}{\\\\","uid":"ü","resourceVersion":"7"},"x":1}',
    ],
  ])("%s", (before, after) => {
    expect(splice(head + before, 7)).toBe(head + after);
    expect(strip(head + after)).toBe(head + before);
    expect(strip(head + before)).toBe(head + before);
    const isServed = (served: string): boolean =>
      isServedFrom(encodeUtf8(served), encodeUtf8(head + before), 7);
    expect(isServed(head + after)).toBe(true);
    expect(isServed(head + before)).toBe(false);
    expect(isServed(`${head}${after.slice(0, -1)} }`)).toBe(false);
    expect(isServed(head.replace("Pod", "Pad") + after)).toBe(false);
    expect(isServed(`${head}${after.slice(0, -1)}]`)).toBe(false);
  });

  test("values that come from elsewhere are refused loudly", () => {
    for (const text of [
      "",
      "[]",
      "{}",
      '{"spec":{},"metadata":{}}',
      '{"kind":"Pod","metadata":[]}',
      '{"kind":"P',
      '{"metadata":{"name":"a',
    ]) {
      expect(() => splice(text, 7)).toThrow();
    }
  });

  test("gives what a parse would give, and strip undoes it", () => {
    const text = fc.string({
      unit: fc.oneof(
        fc.constantFrom('"', "\\", "{", ","),
        fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 }),
      ),
    });
    const metadata = fc.record(
      {
        name: text,
        generateName: text,
        namespace: text,
        uid: text,
        labels: fc.dictionary(text, text),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(metadata, fc.nat(), (meta, revision) => {
        const before = JSON.stringify({
          kind: "Pod",
          apiVersion: "v1",
          metadata: meta,
          spec: { name: "x" },
        });
        const after = splice(before, revision);
        expect(JSON.parse(after)).toEqual({
          ...(JSON.parse(before) as object),
          metadata: {
            ...(JSON.parse(JSON.stringify(meta)) as object),
            resourceVersion: String(revision),
          },
        });
        expect(strip(after)).toBe(before);
      }),
    );
  });
});
