// Holds the figures of a run against what a scenario claims of them.
import { figureKind } from "../figures.ts";
import type { CheckOutcome } from "../outcome.ts";
import { shown } from "../report/quantity.ts";
import type { Check } from "../scenario.ts";

export function checkOutcomes(
  checks: readonly Check[],
  guard: "off" | "on",
  figures: Readonly<Record<string, number>>,
): CheckOutcome[] {
  return checks
    .filter((check) => check.guard === "both" || check.guard === guard)
    .map((check) => outcomeOf(check, figures));
}

function outcomeOf(check: Check, figures: Readonly<Record<string, number>>): CheckOutcome {
  const { name, figure, atLeast, atMost, source } = check;
  const value = figures[figure];
  const passed =
    value !== undefined && value >= (atLeast ?? -Infinity) && value <= (atMost ?? Infinity);
  return {
    name,
    expected: boundsText(figure, atLeast, atMost),
    seen: value === undefined ? "nothing" : figureText(figure, value),
    passed,
    ...(source === undefined ? {} : { source }),
  };
}

function boundsText(figure: string, atLeast?: number, atMost?: number): string {
  if (atLeast !== undefined && atLeast === atMost) return figureText(figure, atLeast);
  const parts = [
    atLeast === undefined ? "" : `at least ${figureText(figure, atLeast)}`,
    atMost === undefined ? "" : `at most ${figureText(figure, atMost)}`,
  ];
  return parts.filter((part) => part !== "").join(", ");
}

/** As the report shows it. */
export function figureText(figure: string, value: number): string {
  const population = /^population\.(.+)\.[a-z0-9]+$/.exec(figure)?.[1];
  const unit = figureKind(figure, population === undefined ? [] : [population])?.unit ?? "count";
  return unit === "ratio" ? `${shown(value, "count")}x` : shown(value, unit);
}
