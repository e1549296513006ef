import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { StatusError } from "./errors.ts";
import {
  formatLabelSelector,
  labelSelectorOf,
  type Labels,
  matchesLabels,
  parseLabelSelector,
  selectsNothing,
} from "./label-selector.ts";

const refusal = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    if (error instanceof StatusError) return `${error.code} ${error.message}`;
    throw error;
  }
  return "accepted";
};

describe("parseLabelSelector", () => {
  const canonical: [text: string, formatted: string][] = [
    ["", ""],
    ["a=b", "a=b"],
    ["a==b", "a=b"],
    ["a = b , c!=d", "a=b,c!=d"],
    ["x in (c,a,,b)", "x in (,a,b,c)"],
    ["x in ()", "x in ()"],
    ["x in (,)", "x in ()"],
    ["x in (a,)", "x in (,a)"],
    ["x notin (in,notin)", "x notin (in,notin)"],
    ["in in (in)", "in in (in)"],
    ["z,!y,x=", "x=,!y,z"],
    ["k>5,k<7", "k>5,k<7"],
    ["example.com/k=v", "example.com/k=v"],
    ["a=b,", "400 found '', expected: identifier after ','"],
    [",a=b", "400 found ',', expected: !, identifier, or 'end of string'"],
    ["a=b c=d", "400 found 'c', expected: ',' or 'end of string'"],
    ["!a=b", "400 found '=', expected: ',' or 'end of string'"],
    ["!", "400 unable to parse requirement: found '', expected: identifier"],
    ["x y", "400 unable to parse requirement: found 'y', expected: in, notin, =, ==, !=, gt, lt"],
    ["x in a", "400 unable to parse requirement: found 'a' expected: '('"],
    ["x in (", "400 unable to parse requirement: found '', expected: ',', ')' or identifier"],
    ["x in (a", "400 unable to parse requirement: found '', expected: ',' or ')'"],
    ["x in (a,", "400 unable to parse requirement: found '', expected: ',', or identifier"],
    ["x=(a)", "400 unable to parse requirement: found '(', expected: identifier"],
    [
      "k>five",
      `400 unable to parse requirement: values[0]: Invalid value: "five": for 'Gt', 'Lt' operators, the value must be an integer`,
    ],
    [
      "a@=b",
      `400 unable to parse requirement: <nil>: Invalid value: "a@": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      "a=b@",
      `400 unable to parse requirement: values[0][a]: Invalid value: "b@": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    ],
  ];
  it.each(canonical)("%j", (text, expected) => {
    if (expected.startsWith("400 ")) {
      expect(refusal(() => parseLabelSelector(text))).toBe(expected);
    } else {
      expect(formatLabelSelector(parseLabelSelector(text))).toBe(expected);
    }
  });

  it("never fails otherwise than with BadRequest", () => {
    const text = fc.string({ unit: fc.constantFrom(..."ab =!(),<>/in".split("")), maxLength: 12 });
    fc.assert(fc.property(text, (selector) => void refusal(() => parseLabelSelector(selector))));
  });

  it("reads back what it formats", () => {
    const text = fc.string({ unit: fc.constantFrom(..."ab =!(),<>5".split("")), maxLength: 12 });
    fc.assert(
      fc.property(text, (selector) => {
        if (refusal(() => parseLabelSelector(selector)) !== "accepted") return;
        const parsed = parseLabelSelector(selector);
        expect(parseLabelSelector(formatLabelSelector(parsed))).toEqual(parsed);
      }),
      { numRuns: 500 },
    );
  });
});

describe("matchesLabels", () => {
  const labels: Labels = { app: "web", tier: "", replicas: "7" };
  const table: [selector: string, matches: boolean][] = [
    ["", true],
    ["app=web", true],
    ["app=db", false],
    ["app!=db", true],
    ["app!=web", false],
    ["missing!=x", true],
    ["app in (db,web)", true],
    ["missing in (db)", false],
    ["app notin (db)", true],
    ["missing notin (db)", true],
    ["app notin (web)", false],
    ["tier", true],
    ["tier=", true],
    ["missing=", false],
    ["!missing", true],
    ["!app", false],
    ["replicas>6", true],
    ["replicas>7", false],
    ["replicas<8", true],
    ["app>1", false],
    ["missing<1", false],
    ["constructor", false],
    ["app=web,tier=x", false],
  ];
  it.each(table)("%j", (selector, expected) => {
    expect(matchesLabels(parseLabelSelector(selector), labels)).toBe(expected);
  });

  it("treats an object without labels as one with none", () => {
    expect(matchesLabels(parseLabelSelector("!a,b!=c"), undefined)).toBe(true);
    expect(matchesLabels(parseLabelSelector("a"), undefined)).toBe(false);
  });
});

describe("labelSelectorOf", () => {
  it("joins matchLabels and matchExpressions", () => {
    const selector = labelSelectorOf({
      matchLabels: { app: "web" },
      matchExpressions: [
        { key: "tier", operator: "NotIn", values: ["b", "a"] },
        { key: "a", operator: "Exists" },
        { key: "b", operator: "DoesNotExist" },
        { key: "c", operator: "In", values: ["x"] },
      ],
    });
    expect(formatLabelSelector(selector)).toBe("a,app=web,!b,c in (x),tier notin (a,b)");
  });

  it("selects nothing when absent and everything when empty", () => {
    expect(labelSelectorOf(undefined)).toBe(selectsNothing);
    expect(matchesLabels(selectsNothing, { "": "" })).toBe(false);
    expect(labelSelectorOf({})).toEqual([]);
  });

  it("refuses unknown operators", () => {
    const run = (): unknown =>
      labelSelectorOf({ matchExpressions: [{ key: "a", operator: "Near" }] });
    expect(refusal(run)).toBe('400 "Near" is not a valid label selector operator');
  });
});
