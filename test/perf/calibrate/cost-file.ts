// From measurements to a file of costs that `wavetank rehearse --profile` reads.
import { parseCostFile } from "../../../src/rehearsal/cost-file.ts";
import { pricesOf } from "../../../src/std/least-squares.ts";
import { answers, watches } from "./memory.ts";
import { type Work, workNames } from "./workloads.ts";

export interface Measured {
  readonly name: string;
  readonly work: Work;
  readonly cpuMs: number;
}

export interface Measurements {
  readonly workloads: readonly Measured[];
  readonly watchBytes: number;
  readonly encodeCopies: number;
  /** One after the other, medians: what a write waits for that a read does not. Absent: not that of an etcd. */
  readonly commitWaitMs: number | undefined;
  /** Only of a server that could be started again. */
  readonly restart:
    | { readonly decodePerMegabyte: number; readonly cacheCopies: number }
    | undefined;
}

/** `behaves`: 1.30, or wavetank. `how`: measured when, on what. */
export interface Subject {
  readonly name: string;
  readonly behaves: string;
  readonly how: string;
}

const prices = {
  requests: ["requestCpu", "ms"],
  writes: ["writeCpu", "ms"],
  objects: ["scanPerObject", "ms"],
  returned: ["returnPerObject", "ms"],
  megabytes: ["encodePerMegabyte", "ms/MB"],
  events: ["eventCpu", "ms"],
} as const;

export function costFile(found: Measurements, { name, behaves, how }: Subject): object {
  /** Three digits: more were not measured. */
  const one: Priced = (value, unit, what) => ({
    value: Number(value.toPrecision(3)),
    unit,
    source: `${how}: ${what}`,
  });
  const { commitWaitMs: waitMs } = found;
  const wait = "median of a write less that of a read";
  const etcd = waitMs === undefined ? {} : { etcd: { commitWait: one(waitMs, "ms", wait) } };
  const file = { name, profile: behaves, costs: { ...etcd, apiServer: apiServer(found, one) } };
  // What we write we can read.
  parseCostFile(JSON.stringify(file), "the file of costs");
  return file;
}

type Priced = (value: number, unit: string, what: string) => object;

function apiServer(found: Measurements, one: Priced): Record<string, object> {
  const { workloads, watchBytes, encodeCopies, restart } = found;
  const fitted = fit(found);
  const squares = `least squares over ${workloads.length} kinds of work`;
  const idle = `resident memory of ${watches.more} idle watches, when ${watches.before} were open`;
  const unread = `${answers} LISTs that nobody reads, at the peak`;
  const starts = "start with and without data";
  return {
    ...Object.fromEntries(
      workNames.map((kind, at) => [prices[kind][0], one(fitted[at]!, prices[kind][1], squares)]),
    ),
    watchBytes: one(watchBytes, "B", idle),
    encodeCopies: one(encodeCopies, "x answer", unread),
    ...(restart === undefined
      ? {}
      : {
          decodePerMegabyte: one(restart.decodePerMegabyte, "ms/MB", starts),
          cacheCopies: one(restart.cacheCopies, "x data", starts),
        }),
  };
}

/** How well the prices explain each kind of work, for people. */
export function residuals(found: Measurements): string[] {
  const fitted = fit(found);
  return found.workloads.map(({ name, work, cpuMs }) => {
    const explained = amountsOf(work).reduce((sum, amount, at) => sum + amount * fitted[at]!, 0);
    const off = ((explained - cpuMs) / cpuMs) * 100;
    return `  ${name.padEnd(44)} ${cpuMs.toFixed(0).padStart(6)} ms of CPU, the prices say ${off >= 0 ? "+" : ""}${off.toFixed(0)} %`;
  });
}

/** In the order of `workNames`. */
function fit({ workloads }: Measurements): number[] {
  return pricesOf(workloads.map(({ work, cpuMs }) => ({ amounts: amountsOf(work), total: cpuMs })));
}

function amountsOf(work: Work): number[] {
  return workNames.map((kind) => work[kind]);
}
