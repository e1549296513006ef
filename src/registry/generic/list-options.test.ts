import { describe, expect, test } from "vitest";
import type { ListOptions } from "../../api/meta/list-options.ts";
import type { CacheWatchOptions } from "../../watchcache/resource-cache.ts";
import { at, plainFields } from "../fields.ts";
import {
  cacheListOptions,
  cacheWatchOptions,
  parseResourceVersion,
  selectionOf,
} from "./list-options.ts";
import { noListOptions } from "../../api/meta/list-options.ts";

const selection = selectionOf("n", noListOptions, plainFields);

describe("a list", () => {
  test.each<[Partial<ListOptions>, object]>([
    [{}, {}],
    [{ resourceVersion: "0" }, { resourceVersion: 0, match: "NotOlderThan" }],
    [
      { resourceVersion: "0", limit: 5 },
      { resourceVersion: 0, match: "NotOlderThan", limit: 5 },
    ],
    [{ resourceVersion: "7" }, { resourceVersion: 7, match: "NotOlderThan" }],
    [
      { resourceVersion: "7", limit: 5 },
      { resourceVersion: 7, match: "Exact", limit: 5 },
    ],
    [
      { resourceVersion: "7", limit: 5, resourceVersionMatch: "NotOlderThan" },
      { resourceVersion: 7, match: "NotOlderThan", limit: 5 },
    ],
    [
      { resourceVersion: "7", resourceVersionMatch: "Exact" },
      { resourceVersion: 7, match: "Exact" },
    ],
    [{ limit: -1 }, {}],
    [
      { resourceVersion: "7", limit: -1 },
      { resourceVersion: 7, match: "NotOlderThan" },
    ],
    // {"v":"meta.k8s.io/v1","rv":9,"start":"a\u0000"}
    [
      {
        continue: "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6OSwic3RhcnQiOiJhXHUwMDAwIn0",
        resourceVersion: "0",
        limit: 5,
      },
      { continueFrom: { revision: 9, startKey: "n/a\u0000" }, limit: 5 },
    ],
  ])("with %j asks for %j", (options, expected) => {
    expect(cacheListOptions(selection, { ...noListOptions, ...options })).toEqual({
      selection,
      limit: 0,
      ...expected,
    });
  });
});

describe("a watch", () => {
  const state = (revision?: number): CacheWatchOptions["from"] =>
    revision === undefined ? { kind: "State" } : { kind: "State", revision };
  const after = (revision: number): CacheWatchOptions["from"] => ({ kind: "After", revision });

  test.each<[Partial<ListOptions>, CacheWatchOptions["from"], boolean]>([
    [{}, state(), false],
    [{ resourceVersion: "0" }, state(0), false],
    [{ resourceVersion: "0", allowWatchBookmarks: true }, state(0), true],
    [{ resourceVersion: "7" }, after(7), false],
    [{ resourceVersion: "7", sendInitialEvents: true, allowWatchBookmarks: true }, state(7), true],
    [{ sendInitialEvents: true, allowWatchBookmarks: true }, state(), true],
    [{ resourceVersion: "7", sendInitialEvents: false }, after(7), false],
    [{ sendInitialEvents: false }, after(42), false],
  ])("with %j starts from %j", async (options, from, initialEventsEnd) => {
    const given = { endsAt: 1, newest: () => Promise.resolve(42) };
    const asked = await cacheWatchOptions(selection, { ...noListOptions, ...options }, given);
    expect([asked.from, asked.initialEventsEnd]).toEqual([from, initialEventsEnd]);
  });
});

test("resource versions are unsigned integers", () => {
  expect([parseResourceVersion(""), parseResourceVersion("12")]).toEqual([undefined, 12]);
  expect(parseResourceVersion("18446744073709551615")).toBe(Number.MAX_SAFE_INTEGER);
  for (const bad of ["-1", "1.5", "x"]) {
    expect(() => parseResourceVersion(bad)).toThrow(
      `strconv.ParseUint: parsing "${bad}": invalid syntax`,
    );
  }
  const beyond = "18446744073709551616";
  expect(() => parseResourceVersion(beyond)).toThrow(`parsing "${beyond}": value out of range`);
});

test("field selectors are held to the kind's fields, by their real names", () => {
  const table = { ...plainFields, fields: [at("spec.a")], aliases: { "spec.b": "spec.a" } };
  const found = selectionOf(
    "",
    { ...noListOptions, fieldSelector: "spec.b!=x,metadata.namespace=n" },
    table,
  );
  expect(found.fields).toEqual([
    { field: "metadata.namespace", operator: "=", value: "n" },
    { field: "spec.a", operator: "!=", value: "x" },
  ]);
});
