// What became of each population, as series and figures.
import type { FleetReport, PopulationReport } from "../../fleet/report.ts";
import type { Series } from "../outcome.ts";

export function populationSeries({ populations }: FleetReport): Series[] {
  return populations.map(({ name, series }) => ({
    chart: "Slowest answer",
    name,
    unit: "ms" as const,
    stepMs: series.slotMs,
    values: series.latencyMs,
  }));
}

/** Answers that tell of a mistake in the request, not of a server in need. */
const mistakes: readonly number[] = [400, 401, 403, 404, 405, 415, 422];

/** A storm of requests that are all wrong costs little, and would pass every check. */
export function populationWarnings({ populations }: FleetReport): string[] {
  return populations.flatMap(({ name, requests, errors }) =>
    errors
      .filter(({ status, count }) => mistakes.includes(status) && count * 2 >= requests.started)
      .map(
        ({ status, count, message }) =>
          `${name}: ${count} of ${requests.started} requests were answered ${status}: ${message}`,
      ),
  );
}

export function populationFigureValues({ populations }: FleetReport): Record<string, number> {
  return Object.fromEntries(populations.flatMap((population) => figuresOf(population)));
}

function figuresOf({ name, members, requests, verbs }: PopulationReport): [string, number][] {
  // What it does most.
  const main = verbs.toSorted((a, b) => b.latencyMs.count - a.latencyMs.count)[0]?.latencyMs;
  const figures: Readonly<Record<string, number>> = {
    requests: requests.started,
    refused: requests.refused,
    failed: requests.broken + requests.abandoned,
    synced: members.synced,
    finished: members.finished,
    p50: main?.p50 ?? 0,
    p99: main?.p99 ?? 0,
    max: main?.max ?? 0,
  };
  return Object.entries(figures).map(([what, value]) => [`population.${name}.${what}`, value]);
}
