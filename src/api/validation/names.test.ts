import { describe, expect, test } from "vitest";
import {
  configMapKey,
  dns1035Label,
  dns1123Label,
  dns1123Subdomain,
  envVarName,
  labelValueRule,
  nameIsPathSegment,
  nameIsSubdomain,
  pathSegment,
  portName,
  qualifiedName,
  wildcardDns1123Subdomain,
} from "./names.ts";

describe("names", () => {
  test.each([
    [
      dns1123Label,
      ["a", "a-b", "0", "a".repeat(63)],
      ["", "A", "-a", "a-", "a.b", "a_b", "a".repeat(64)],
    ],
    [
      dns1123Subdomain,
      ["a", "a.b-c.0", "a".repeat(253)],
      ["", "a..b", ".a", "a.", "A.b", "a".repeat(254)],
    ],
    [dns1035Label, ["a", "a-0"], ["", "0a", "a-", "a.b"]],
    [wildcardDns1123Subdomain, ["*.a", "*.a.b"], ["a.b", "*", "*a", "*.*.a"]],
    [
      labelValueRule,
      ["", "a", "A_b.c-1", "a".repeat(63)],
      ["-a", "a-", "a b", "a".repeat(64), "é"],
    ],
    [
      qualifiedName,
      ["a", "a.b/c", "A_b", "x/Y.z"],
      ["", "/a", "a/", "a/b/c", "A.b/c", "-a", "a".repeat(64)],
    ],
    [
      configMapKey,
      ["a", "a.B_c-1", "...a".slice(1).slice(1)],
      ["", ".", "..", "..a", "a b", "a/b"],
    ],
    [envVarName, ["A", "a.b", "1", "a b", "~"], ["", "a=b", "é", "a\n"]],
    [portName, ["http", "a-1", "a".repeat(15)], ["", "HTTP", "1", "a--b", "-a", "a".repeat(16)]],
    [pathSegment, ["a", "A:b c", "é"], [".", "..", "a/b", "a%b"]],
  ])("%o", (rule, good, bad) => {
    for (const text of good) expect(rule(text), text).toEqual([]);
    for (const text of bad) expect(rule(text), text).not.toEqual([]);
  });
  test.each([
    [dns1123Label("a".repeat(64)), ["must be no more than 63 characters"]],
    [dns1123Label("a.b"), ["must not contain dots"]],
    [
      dns1123Label("A"),
      [
        "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
      ],
    ],
    [
      dns1035Label("0"),
      [
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
      ],
    ],
    [
      qualifiedName("a/b/c"),
      [
        "a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
      ],
    ],
    [
      portName("12345678901234567"),
      ["must be no more than 15 characters", "must contain at least one letter (a-z)"],
    ],
    [pathSegment("a/b%"), ["may not contain '/'", "may not contain '%'"]],
  ])("wording %#", (got, want) => {
    expect(got).toEqual(want);
  });
  test("a prefix may end in what the suffix makes good", () => {
    expect(nameIsSubdomain("a-", true)).toEqual([]);
    expect(nameIsSubdomain("a-", false)).not.toEqual([]);
    expect(nameIsPathSegment(".", true)).toEqual([]);
    expect(nameIsPathSegment(".", false)).toEqual(["may not be '.'"]);
  });
  test("a hostile text costs linear time", () => {
    const long = `${"a-".repeat(500_000)}!`;
    for (const rule of [dns1123Subdomain, labelValueRule, qualifiedName, portName]) {
      expect(rule(long)).not.toEqual([]);
    }
    expect(dns1123Subdomain(`${"a.".repeat(500_000)}!`)).not.toEqual([]);
  });
});
