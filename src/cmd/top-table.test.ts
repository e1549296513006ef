import { describe, expect, it } from "vitest";
import { row } from "../accounting/accounting.testbed.ts";
import { findAll } from "../accounting/findings/all.ts";
import { sumCounts } from "../accounting/ledger/counters.ts";
import type { LedgerReport } from "../accounting/ledger/report.ts";
import type { LedgerRow } from "../accounting/ledger/ledger-row.ts";
import { type TopView, linesOf, picture, short } from "./top-table.ts";

function report(rows: readonly LedgerRow[]): LedgerReport {
  const sum = sumCounts(rows.map(({ window }) => window));
  const none = sumCounts([]);
  return {
    kind: "Ledger",
    apiVersion: "ledger.wavetank.dev/v1alpha1",
    at: "2026-01-02T03:04:05.678Z",
    windowSeconds: 300,
    rows,
    others: { rows: 0, window: none, total: none },
    window: sum,
    total: sum,
    findings: findAll(rows, 300),
  };
}

const view: TopView = {
  by: "user",
  sort: "load",
  filter: "",
  span: "window",
  flowNames: new Map(),
};
const rows = [
  row({ client: { user: "ann", userAgent: "kubectl" }, counts: { requests: 5 } }),
  row({
    client: { user: "ann", userAgent: "informer" },
    shape: { verb: "watch" },
    watchesOpen: 3,
    counts: { requests: 2 },
  }),
  row({
    client: { user: "vector", userAgent: "vector/0.28", flowSchema: "uid-1" },
    counts: { requests: 3, objectsScanned: 21_390, objectsReturned: 21_390, bytesOut: 40e6 },
  }),
];

describe("the lines of top", () => {
  it.each([
    [
      "user",
      [
        ["vector", 3],
        ["ann", 7],
      ],
    ],
    [
      "agent",
      [
        ["vector/0.28", 3],
        ["kubectl", 5],
        ["informer", 2],
      ],
    ],
    [
      "resource",
      [
        ["list pods", 8],
        ["watch pods", 2],
      ],
    ],
    [
      "flow",
      [
        ["collectors", 3],
        ["(none)", 7],
      ],
    ],
  ] as const)("by %s", (by, expected) => {
    const flowNames = new Map([["uid-1", "collectors"]]);
    const lines = linesOf(report(rows), { ...view, by, flowNames });
    expect(lines.map(({ name, counts }) => [name, counts.requests])).toEqual(expected);
  });

  it("are sorted, filtered, and know what was found", () => {
    const sorted = linesOf(report(rows), { ...view, sort: "requests" });
    expect(sorted.map(({ name }) => name)).toEqual(["ann", "vector"]);
    expect(linesOf(report(rows), { ...view, filter: "INFORMER" })).toMatchObject([
      { watchesOpen: 3 },
    ]);
    expect(linesOf(report(rows), view)[0]?.findings).toEqual(["unpaged-full-list"]);
  });
});

describe("the picture", () => {
  it.each([40, 80, 120, 200])("fits %i columns", (width) => {
    const lines = picture(report(rows), view, { width, height: 20, colour: false });
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
    expect(lines.length).toBeLessThanOrEqual(20);
    expect(lines[0]).toContain("last 5 min");
    expect(lines.join("\n")).toContain("! unpaged-full-list: vector");
  });

  it("lets advice go on in the next line", () => {
    const text = (width: number): string =>
      picture(report(rows), view, { width, height: Infinity, colour: false })
        .slice(-6)
        .join(" ")
        .replaceAll(/\s+/g, " ");
    expect(text(60)).not.toContain("…");
    expect(text(60)).toContain(text(400).slice(text(400).indexOf("->")));
  });

  it("has colours only when asked", () => {
    const text = (colour: boolean): string =>
      picture(report(rows), view, { width: 100, height: 20, colour }).join("\n");
    expect(text(true)).toContain("\u001B[");
    expect(text(false)).not.toContain("\u001B");
  });
});

it.each([
  [0, "0"],
  [0.25, "0.3"],
  [999, "999"],
  [1_000, "1k"],
  [1_234, "1.2k"],
  [34_567, "34.6k"],
  [999_600, "1M"],
  [5.6e6, "5.6M"],
  [2e9, "2G"],
])("%d is %s", (value, text) => expect(short(value)).toBe(text));
