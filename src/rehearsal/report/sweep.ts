// How harm grows: one outcome a value, their figures side by side.
import type { RehearsalOutcome } from "../outcome.ts";
import { figureText } from "../run/check.ts";

export interface SweepPoint {
  readonly value: string;
  readonly outcome: RehearsalOutcome;
}

const barColumns = 30;

/** Of every figure that a check speaks of: a bar a value, with the guard off. */
export function sweepText(path: string, points: readonly SweepPoint[]): string {
  const [first] = points;
  const off = first?.outcome.runs[0];
  if (off === undefined) return "";
  const width = Math.max(path.length, ...points.map(({ value }) => value.length));
  const changing = Object.keys(off.figures).filter((figure) => {
    const values = points.map(({ outcome }) => outcome.runs[0]?.figures[figure] ?? 0);
    return new Set(values).size > 1;
  });
  return changing
    .map((figure) => {
      const values = points.map(({ outcome }) => outcome.runs[0]?.figures[figure] ?? 0);
      const most = Math.max(...values, 1e-9);
      const rows = points.map(({ value }, index) => {
        const seen = values[index] ?? 0;
        const bar = "█".repeat(Math.round((seen / most) * barColumns));
        return `  ${value.padStart(width)}  ${bar.padEnd(barColumns)} ${figureText(figure, seen)}`;
      });
      return [figure, ...rows].join("\n");
    })
    .join("\n\n");
}
