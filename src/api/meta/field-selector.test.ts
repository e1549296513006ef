import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { StatusError } from "./errors.ts";
import {
  type FieldSelector,
  formatFieldSelector,
  matchesFields,
  parseFieldSelector,
} from "./field-selector.ts";

describe("parseFieldSelector", () => {
  const accepted: [text: string, selector: FieldSelector][] = [
    ["", []],
    [",", []],
    ["a=b", [{ field: "a", operator: "=", value: "b" }]],
    ["a==b", [{ field: "a", operator: "=", value: "b" }]],
    ["a!=b", [{ field: "a", operator: "!=", value: "b" }]],
    ["spec.nodeName=", [{ field: "spec.nodeName", operator: "=", value: "" }]],
    ["a=x\\,y\\=z\\\\", [{ field: "a", operator: "=", value: "x,y=z\\" }]],
    [
      "b=2,a=1",
      [
        { field: "a", operator: "=", value: "1" },
        { field: "b", operator: "=", value: "2" },
      ],
    ],
  ];
  it.each(accepted)("%j", (text, selector) => {
    expect(parseFieldSelector(text)).toEqual(selector);
  });

  const refused: [text: string, message: string][] = [
    ["a", "invalid selector: 'a'; can't understand 'a'"],
    ["x=1,a", "invalid selector: 'x=1,a'; can't understand 'a'"],
    ["a=b=c", "invalid field selector: unescaped character in value: 61"],
    ["a=\\b", "invalid field selector: invalid escape sequence: \\b"],
    ["a=b\\", "invalid field selector: invalid escape sequence: \\"],
  ];
  it.each(refused)("refuses %j", (text, message) => {
    expect(() => parseFieldSelector(text)).toThrowError(
      expect.objectContaining({ message, code: 400 }),
    );
    expect(() => parseFieldSelector(text)).toThrow(StatusError);
  });

  it("reads back any value that it formats", () => {
    fc.assert(
      fc.property(fc.string(), (value) => {
        const selector: FieldSelector = [{ field: "f", operator: "!=", value }];
        expect(parseFieldSelector(formatFieldSelector(selector))).toEqual(selector);
      }),
    );
  });
});

describe("matchesFields", () => {
  const valueOf = (field: string): string => ({ phase: "Running" })[field] ?? "";
  const table: [selector: string, matches: boolean][] = [
    ["", true],
    ["phase=Running", true],
    ["phase!=Running", false],
    ["node=", true],
    ["node!=", false],
    ["phase=Running,node=x", false],
  ];
  it.each(table)("%j", (selector, expected) => {
    expect(matchesFields(parseFieldSelector(selector), valueOf)).toBe(expected);
  });
});
