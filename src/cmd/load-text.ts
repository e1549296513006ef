// A fleet's report for people: one line while it runs, a block for each population at the end.
import type { FleetReport, PopulationReport } from "../fleet/report.ts";

export function progressText(report: FleetReport): string {
  const seconds = Math.round(report.durationMs / 1_000);
  const parts = report.populations.map(({ name, members, requests, watches }) => {
    const open = watches.open > 0 ? `, ${watches.open} watches` : "";
    const bad = requests.refused + requests.broken;
    const failed = bad > 0 ? `, ${bad} failed` : "";
    return `${name} ${members.finished}/${members.count}: ${requests.succeeded} ok${failed}${open}`;
  });
  return `${seconds} s  ${parts.join(" · ")}`;
}

const outcomes = {
  running: "still running",
  completed: "all members came to their end",
  time: "the time was over",
  requests: "the number of requests was reached",
  stopped: "stopped",
} as const;

export function reportText(report: FleetReport): string {
  const seconds = (report.durationMs / 1_000).toFixed(1);
  const head = `${report.name}: ${outcomes[report.outcome]} after ${seconds} s`;
  return [head, ...report.populations.map((population) => populationText(population))].join("\n\n");
}

/** Otherwise nobody would know of nodes and pods that stay, nor that going by names may take others with them. */
export function keptText({
  made,
  found,
}: {
  readonly made: number;
  readonly found: number;
}): string {
  const others = found === 0 ? "" : `, ${found} were there before`;
  const all = found === 0 ? "them" : "both";
  return `\nobjects: ${made} prepared and kept${others}. The same with --no-prepare --prepare-only --cleanup deletes ${all}`;
}

function populationText(population: PopulationReport): string {
  const { name, behaviour, members, requests, bytes, watches } = population;
  const counts = [
    `${members.count} ${members.count === 1 ? "member" : "members"} (${members.started} started, ${members.finished} finished`,
    members.synced > 0 ? `, ${members.synced} complete` : "",
    members.failed > 0 ? `, ${members.failed} failed` : "",
    ")",
  ].join("");
  const asked = [
    `${requests.started} requests`,
    `${requests.succeeded} good`,
    `${requests.refused} refused`,
    `${requests.broken} broken`,
    `${requests.abandoned} given up`,
    `at most ${requests.peakInFlight} at once`,
  ].join(", ");
  return [
    `${name} (${behaviour})`,
    `  ${counts}`,
    `  ${asked}`,
    `  ${bytesText(bytes.received)} received`,
    ...(watches.opened > 0
      ? [
          `  watches: ${watches.opened} opened, at most ${watches.peak} at once, ${watches.events} events`,
        ]
      : []),
    ...latencyLines(population),
    ...errorLines(population),
  ].join("\n");
}

function latencyLines({ verbs }: PopulationReport): string[] {
  if (verbs.length === 0) return [];
  const cell = (ms: number): string => (ms < 10 ? ms.toFixed(1) : String(Math.round(ms)));
  const rows = verbs.map(({ verb, latencyMs }) => [
    verb,
    String(latencyMs.count),
    ...[latencyMs.mean, latencyMs.p50, latencyMs.p90, latencyMs.p99, latencyMs.max].map(cell),
  ]);
  const table = [["ms", "count", "mean", "p50", "p90", "p99", "max"], ...rows];
  return table.map(
    (row) => `  ${row.map((one, at) => (at === 0 ? one.padEnd(17) : one.padStart(9))).join("")}`,
  );
}

function errorLines({ errors, retryAfter, flows }: PopulationReport): string[] {
  const lines = errors.map(({ status, reason, count, message }) => {
    const what = status === 0 ? reason : `${status} ${reason}`;
    return `  ${count} × ${what.trim()}: ${message}`;
  });
  if (retryAfter.count > 0)
    lines.push(
      `  Retry-After ${retryAfter.count} times, ${retryAfter.minSeconds} to ${retryAfter.maxSeconds} s`,
    );
  for (const { count, ...flow } of flows) {
    const schema = flow.flowSchema || flow.flowSchemaUid;
    const level = flow.priorityLevel || flow.priorityLevelUid;
    lines.push(`  ${count} × FlowSchema ${schema}, priority level ${level}`);
  }
  return lines;
}

function bytesText(count: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let value = count;
  let unit = 0;
  while (value >= 1_000 && unit < units.length - 1) {
    value /= 1_000;
    unit++;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}
