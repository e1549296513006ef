import { describe, expect, it } from "vitest";
import { StatusError } from "../api/meta/errors.ts";
import { type ListOptions, checkListOptions, readListOptions } from "../api/meta/list-options.ts";
import { Query } from "./query.ts";
import {
  checkDeleteOptions,
  deleteOptionsOf,
  managerOf,
  readWriteOptions,
} from "./write-options.ts";

const refusal = (fn: () => unknown): { code: number; message: string } => {
  try {
    fn();
  } catch (error) {
    if (error instanceof StatusError) return { code: error.code, message: error.message };
    throw error;
  }
  return { code: 0, message: "" };
};

describe("Query", () => {
  it("reads values as Go does", () => {
    const query = new Query("a=1&a=2&b=x+y%2C&&c&bad=%zz&d;e=1&labelSelector=a%3Db");
    expect(query.all("a")).toEqual(["1", "2"]);
    expect(query.first("b")).toBe("x y,");
    expect(query.first("c")).toBe("");
    expect(query.first("bad")).toBeUndefined();
    expect(query.first("d;e")).toBeUndefined();
    expect(query.first("labelSelector")).toBe("a=b");
    expect(new Query("").all("a")).toEqual([]);
  });

  // Dropped instead, a selector would select everything, also for a DELETE.
  it("keeps values whose bytes are no UTF-8", () => {
    const query = new Query("labelSelector=%ff%FEa&x=%c3%A9%e2%82+é%ff");
    expect(query.first("labelSelector")).toBe("\ufffd\ufffda");
    expect(query.first("x")).toBe("é\ufffd é\ufffd");
    expect(new Query("a=%ff%f").first("a")).toBeUndefined();
  });

  it.each([
    ["x", 'strconv.ParseInt: parsing "x": invalid syntax'],
    ["", 'strconv.ParseInt: parsing "": invalid syntax'],
    ["1.5", 'strconv.ParseInt: parsing "1.5": invalid syntax'],
    ["9223372036854775808", 'strconv.ParseInt: parsing "9223372036854775808": value out of range'],
  ])("limit=%s is refused", (text, message) => {
    expect(refusal(() => new Query(`limit=${text}`).integer("limit"))).toEqual({
      code: 400,
      message,
    });
  });

  it("reads booleans", () => {
    const query = new Query("a=false&b=0&c=no&d=&e=True");
    const read = ["a", "b", "c", "d", "e", "f"].map((name) => query.flag(name));
    expect(read).toEqual([false, false, true, true, true, undefined]);
  });
});

describe("list options", () => {
  const check = (query: string, verb: "list" | "watch"): string =>
    refusal(() => checkListOptions(readListOptions(new Query(query)), verb)).message;
  const invalid = 'ListOptions.meta.k8s.io "" is invalid: ';

  it("reads everything", () => {
    const options: ListOptions = {
      labelSelector: "a=b",
      fieldSelector: "spec.nodeName=n",
      resourceVersion: "5",
      resourceVersionMatch: "Exact",
      limit: 500,
      continue: "t",
      timeoutSeconds: 9,
      allowWatchBookmarks: true,
      sendInitialEvents: false,
    };
    const text =
      "labelSelector=a%3Db&fieldSelector=spec.nodeName%3Dn&resourceVersion=5&resourceVersionMatch=Exact&limit=500&continue=t&timeoutSeconds=9&allowWatchBookmarks=1&sendInitialEvents=false";
    expect(readListOptions(new Query(text))).toEqual(options);
  });

  it.each([
    ["list", "", ""],
    ["list", "resourceVersion=1&resourceVersionMatch=Exact", ""],
    [
      "list",
      "resourceVersionMatch=Exact",
      `${invalid}resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided`,
    ],
    [
      "list",
      "resourceVersion=1&continue=x&resourceVersionMatch=Exact",
      `${invalid}resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided`,
    ],
    [
      "list",
      "resourceVersion=0&resourceVersionMatch=Exact",
      `${invalid}resourceVersionMatch: Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"`,
    ],
    [
      "list",
      "resourceVersion=1&resourceVersionMatch=x",
      `${invalid}resourceVersionMatch: Unsupported value: "x": supported values: "Exact", "NotOlderThan", ""`,
    ],
    [
      "list",
      "sendInitialEvents=false",
      `${invalid}sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list`,
    ],
    ["watch", "sendInitialEvents=true&resourceVersionMatch=NotOlderThan", ""],
    [
      "watch",
      "sendInitialEvents=true",
      `${invalid}resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan`,
    ],
    [
      "watch",
      "resourceVersionMatch=NotOlderThan",
      `${invalid}resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided`,
    ],
  ] as const)("%s %s", (verb, query, message) => {
    expect(check(query, verb)).toBe(message);
  });
});

describe("write options", () => {
  it.each([
    [
      "CreateOptions",
      "dryRun=x",
      'CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["x"]: supported values: "All"',
    ],
    [
      "UpdateOptions",
      "fieldValidation=x",
      'UpdateOptions.meta.k8s.io "" is invalid: fieldValidation: Unsupported value: "x": supported values: "", "Ignore", "Strict", "Warn"',
    ],
    [
      "PatchOptions",
      "force=true",
      'PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch',
    ],
    [
      "CreateOptions",
      `fieldManager=${"a".repeat(129)}`,
      'CreateOptions.meta.k8s.io "" is invalid: fieldManager: Too long: may not be more than 128 bytes',
    ],
    [
      "CreateOptions",
      "fieldManager=a%09",
      'CreateOptions.meta.k8s.io "" is invalid: fieldManager: Invalid value: "a\\t": invalid character U+0009 (at position 1)',
    ],
  ] as const)("%s %s", (kind, query, message) => {
    expect(refusal(() => readWriteOptions(new Query(query), kind, ""))).toEqual({
      code: 422,
      message,
    });
  });

  it("takes defaults from the user agent", () => {
    expect(
      readWriteOptions(new Query("dryRun=All"), "CreateOptions", "kubectl/v1.35 (linux)"),
    ).toEqual({
      dryRun: true,
      fieldManager: "kubectl",
      fieldValidation: "Warn",
    });
    expect(managerOf("a\tb")).toBe("ab");
    expect(managerOf("é".repeat(100))).toBe("é".repeat(64));
  });

  it.each([
    [
      "propagationPolicy=x",
      'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "x": supported values: "Foreground", "Background", "Orphan", "nil"',
    ],
    [
      "propagationPolicy=Background&orphanDependents=true",
      'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Invalid value: "Background": orphanDependents and deletionPropagation cannot be both set',
    ],
  ])("DELETE ?%s", (query, message) => {
    const options = deleteOptionsOf(new Query(query));
    expect(refusal(() => checkDeleteOptions(options))).toEqual({ code: 422, message });
  });

  it("reads DeleteOptions from a query", () => {
    const query = new Query("gracePeriodSeconds=0&propagationPolicy=Orphan&dryRun=All");
    expect(deleteOptionsOf(query)).toEqual({
      gracePeriodSeconds: 0,
      propagationPolicy: "Orphan",
      dryRun: ["All"],
    });
  });
});
