// The summary in a terminal: the verdict, who did it, small charts, what was checked. Plain text of at most 100 columns.
import type { RehearsalOutcome, RunOutcome, Series } from "../outcome.ts";
import { shown, shownTime } from "./quantity.ts";

const bars = " ▁▂▃▄▅▆▇█";
const sparkColumns = 40;

export function terminalSummary(outcome: RehearsalOutcome): string {
  const { scenario, seed, profile, verdict, runs } = outcome;
  return [
    `${scenario.title}  (seed ${seed}, profile ${profile})`,
    "",
    ...runs.map((run) => `${runLines(run, runs).join("\n")}\n`),
    `${verdict.asExpected ? "✓" : "✗"} ${verdict.sentence}`,
    "",
    `again: ${outcome.command}`,
  ].join("\n");
}

function runLines(run: RunOutcome, runs: readonly RunOutcome[]): string[] {
  const charts = [...new Set(run.series.map(({ chart }) => chart))];
  const [culprit] = run.culprits;
  return [
    `guard ${run.guard}   ${shownTime(run.simulatedMs)} simulated   trace ${run.traceHash}`,
    ...charts.map((chart) => sparkLine(chart, run, runs)),
    ...(culprit === undefined
      ? []
      : [
          `  culprit  ${culprit.client}: ${culprit.does}, ${shown(culprit.share, "share")} of the work`,
        ]),
    ...run.warnings.map((warning) => `  ! ${warning}`),
    ...run.checks.map(
      ({ name, expected, seen, passed }) =>
        `  ${passed ? "✓" : "✗"} ${name}: ${seen}${passed ? "" : ` (expected ${expected})`}`,
    ),
  ];
}

function sparkLine(chart: string, run: RunOutcome, runs: readonly RunOutcome[]): string {
  const of = (one: RunOutcome): readonly Series[] =>
    one.series.filter((series) => series.chart === chart);
  const series = of(run);
  const most = peakOf(series);
  const unit = series[0]?.unit ?? "count";
  const top = peakOf(runs.flatMap(of));
  return `  ${chart.padEnd(34)} ${spark(series, top, run.simulatedMs)} ${shown(most, unit)}`;
}

/** The greatest of all series in each column. Series end when nothing more happens: each is laid out by its own step. */
function spark(series: readonly Series[], top: number, endMs: number): string {
  const columnMs = endMs / sparkColumns;
  return Array.from({ length: sparkColumns }, (_, column) => {
    const values = series.flatMap((one) => during(one, column * columnMs, columnMs));
    const most = Math.max(0, ...values);
    return bars[Math.ceil((most / Math.max(1e-9, top)) * (bars.length - 1))] ?? " ";
  }).join("");
}

function during({ values, stepMs }: Series, fromMs: number, forMs: number): readonly number[] {
  const from = Math.floor(fromMs / stepMs);
  return values.slice(from, Math.max(from + 1, Math.floor((fromMs + forMs) / stepMs)));
}

function peakOf(series: readonly Series[]): number {
  return Math.max(0, ...series.flatMap(({ values }) => values));
}
