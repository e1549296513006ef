// One line chart as SVG: series of one unit over simulated time, with what happened as marks. Colours come from the page's
// style sheet, so that the same picture serves light, dark and paper; no script is needed to read it.
import type { Happening, Series } from "../outcome.ts";
import { escaped } from "./markup.ts";
import { roundUp, shown, shownTime } from "./quantity.ts";

export interface ChartOptions {
  /** Shared by charts that are to be compared. */
  readonly top: number;
  readonly endMs: number;
  readonly marks: readonly Happening[];
}

/** So many lines can be told apart; more are an envelope of their greatest. */
export const linesMax = 6;

const width = 460;
const height = 190;
const plot = { left: 58, right: 22, top: 10, bottom: 26 } as const;
const plotWidth = width - plot.left - plot.right;
const plotHeight = height - plot.top - plot.bottom;

/** The top of an axis on which all of `series` have room. */
export function axisTop(series: readonly Series[]): number {
  const most = Math.max(0, ...series.flatMap(({ values }) => values));
  return roundUp(most, series[0]?.unit ?? "count");
}

export function chartSvg(all: readonly Series[], options: ChartOptions): string {
  const series = all.length > linesMax ? [envelope(all)] : all;
  const unit = series[0]?.unit ?? "count";
  const y = (value: number): number =>
    plot.top + plotHeight * (1 - Math.min(1, value / options.top));
  const x = (ms: number): number =>
    plot.left + plotWidth * Math.min(1, ms / Math.max(1, options.endMs));
  const grid = [0, 0.5, 1].map((share) => {
    const value = options.top * share;
    const at = fixed(y(value));
    return (
      `<line class="grid" x1="${plot.left}" x2="${width - plot.right}" y1="${at}" y2="${at}"/>` +
      `<text class="tick" text-anchor="end" x="${plot.left - 6}" y="${fixed(y(value) + 3.5)}">${escaped(shown(value, unit))}</text>`
    );
  });
  const hours = timeTicks(options.endMs).map(
    (ms) =>
      `<text class="tick" text-anchor="middle" x="${fixed(x(ms))}" y="${height - 8}">${shownTime(ms)}</text>`,
  );
  const marks = options.marks.map(
    (mark) =>
      `<g><line class="mark" x1="${fixed(x(mark.atMs))}" x2="${fixed(x(mark.atMs))}" y1="${plot.top}" y2="${plot.top + plotHeight}"/>` +
      `<title>${escaped(`${shownTime(mark.atMs)} ${mark.what}`)}</title></g>`,
  );
  const lines = series.map(
    (one, index) =>
      `<path class="line c${index + 1}" d="${pathOf(one, x, y)}"><title>${escaped(peakText(one))}</title></path>`,
  );
  const label = escaped(series.map(peakText).join("; "));
  return `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">${[...grid, ...hours, ...marks, ...lines].join("")}</svg>`;
}

/** Names beside their colours; empty for a single line, which its chart's title names. */
export function legendHtml(all: readonly Series[]): string {
  if (all.length > linesMax) return `<p class="legend">greatest of ${all.length}</p>`;
  if (all.length < 2) return "";
  const items = all.map(
    ({ name }, index) => `<span><i class="key c${index + 1}"></i>${escaped(name)}</span>`,
  );
  return `<p class="legend">${items.join("")}</p>`;
}

function peakText({ name, values, unit }: Series): string {
  return `${name}: at most ${shown(Math.max(0, ...values), unit)}`;
}

function envelope(all: readonly Series[]): Series {
  const longest = all.reduce((a, b) => (b.values.length > a.values.length ? b : a));
  const values = longest.values.map((_, at) => Math.max(...all.map((one) => one.values[at] ?? 0)));
  return { ...longest, name: `greatest of ${all.length}`, values };
}

type Scale = (value: number) => number;

function pathOf({ values, stepMs }: Series, x: Scale, y: Scale): string {
  return values
    .map((value, at) => `${at === 0 ? "M" : "L"}${fixed(x(at * stepMs))} ${fixed(y(value))}`)
    .join("");
}

function timeTicks(endMs: number): readonly number[] {
  const steps = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400];
  const step = (steps.find((seconds) => endMs / (seconds * 1_000) <= 6) ?? 43_200) * 1_000;
  return Array.from({ length: Math.floor(endMs / step) + 1 }, (_, index) => index * step);
}

function fixed(value: number): string {
  return String(Number(value.toFixed(1)));
}
