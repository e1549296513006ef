import { describe, expect, it } from "vitest";
import type { Series } from "../outcome.ts";
import { axisTop, chartSvg, linesMax } from "./chart.ts";
import { sampleOutcome } from "./outcome.testbed.ts";
import { reportPage } from "./page.ts";
import { roundUp, shown, shownTime } from "./quantity.ts";
import { terminalSummary } from "./terminal.ts";

describe("quantities", () => {
  it.each([
    [0, "bytes", "0 B"],
    [13_313_287, "bytes", "12.7 MiB"],
    [0.9712, "share", "97.1 %"],
    [337, "ms", "337 ms"],
    [95_000, "ms", "95 s"],
    [600_000, "ms", "10 min"],
    [4_800, "count", "4800"],
    [34_224_000, "count", "34.2 M"],
    [12.345, "perSecond", "12.3/s"],
  ] as const)("%d as %s is %s", (value, unit, text) => {
    expect(shown(value, unit)).toBe(text);
  });

  it.each([
    [0, "0:00"],
    [61_500, "1:02"],
    [3_725_000, "1:02:05"],
  ])("%d ms is %s", (ms, text) => {
    expect(shownTime(ms)).toBe(text);
  });

  it.each([
    [0, "count", 1],
    [7, "count", 10],
    [230, "count", 250],
    [3 * 1_024 ** 3, "bytes", 5 * 1_024 ** 3],
  ] as const)("an axis for %d %s ends at %d", (value, unit, top) => {
    expect(roundUp(value, unit)).toBe(top);
  });
});

const series = (name: string, values: readonly number[]): Series => ({
  chart: "Queue",
  name,
  unit: "count",
  stepMs: 1_000,
  values,
});

describe("a chart", () => {
  it("draws a line for each series on one scale", () => {
    const all = [series("a", [0, 5, 10]), series("b", [10, 0, 0])];
    expect(axisTop(all)).toBe(10);
    const svg = chartSvg(all, { top: 10, endMs: 2_000, marks: [] });
    expect(svg.match(/class="line/g)).toHaveLength(2);
    // 0 is the bottom (164), 10 the top (10); the end of time is the right edge (438).
    expect(svg).toContain("M58 164L248 87L438 10");
    expect(svg).toContain("M58 10L248 164L438 164");
  });

  it("draws the greatest of too many", () => {
    const all = Array.from({ length: linesMax + 1 }, (_, at) => series(`n${at}`, [at, 1]));
    const svg = chartSvg(all, { top: 10, endMs: 1_000, marks: [] });
    expect(svg.match(/class="line/g)).toHaveLength(1);
    expect(svg).toContain("greatest of 7: at most 6");
  });
});

describe("a report", () => {
  it("says verdict, culprit, checks, guard and how to repeat it, and needs no other file", () => {
    const page = reportPage(sampleOutcome);
    for (const text of [
      "vector brought etcd down; the guard held.",
      "system:serviceaccount:logging:vector",
      "34.2 M",
      "quorum LIST that a cache could answer",
      "at least 2.5 times its base",
      "kind: FlowSchema",
      "wavetank rehearse sample --seed 1",
      "trace 1a2b",
      "etcd/master-2 is &lt;killed&gt;: out of memory",
    ])
      expect(page).toContain(text);
    expect(page.match(/<svg/g)).toHaveLength(2);
    expect(page).not.toMatch(/<script|src=|href=|@import|url\(/);
  });

  it("says aloud when the verdict is not what was expected", () => {
    const verdict = { asExpected: false, sentence: "nothing happened." };
    expect(reportPage({ ...sampleOutcome, verdict })).toContain('class="verdict not"');
    expect(terminalSummary({ ...sampleOutcome, verdict })).toContain("✗ nothing happened.");
  });

  it("lays a series that ends early out by time", () => {
    const [run] = sampleOutcome.runs;
    if (run === undefined) throw new Error("the sample has runs");
    const runs = [{ ...run, series: [series("early", Array<number>(150).fill(7))] }];
    const line = terminalSummary({ ...sampleOutcome, runs })
      .split("\n")
      .find((one) => one.includes("Queue"));
    // 150 s of 300 s are half of 40 columns.
    expect(line).toContain(`${"█".repeat(20)}${" ".repeat(21)}7`);
  });

  it("tells what makes one doubt the run", () => {
    const runs = sampleOutcome.runs.map((run) => ({ ...run, warnings: ["agents: <all> wrong"] }));
    expect(terminalSummary({ ...sampleOutcome, runs })).toContain("  ! agents: <all> wrong");
    expect(reportPage({ ...sampleOutcome, runs })).toContain("agents: &lt;all&gt; wrong");
  });

  it("has a summary for terminals", () => {
    const lines = terminalSummary(sampleOutcome).split("\n");
    expect(lines[0]).toBe("A sample storm  (seed 1, profile 1.22)");
    expect(lines.filter((line) => line.includes("Memory of etcd"))).toHaveLength(2);
    expect(lines.find((line) => line.includes("Memory of etcd"))).toMatch(/█.* 3 GiB$/);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(120);
  });
});
