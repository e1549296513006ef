// From measurements to a file of costs that `wavetank rehearse --profile` reads.
import { parseCostFile } from "../../../src/rehearsal/cost-file.ts";
import { pricesOf } from "../../../src/std/least-squares.ts";
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

/** Three digits: more were not measured. */
export function costFile(found: Measurements, { name, behaves, how }: Subject): object {
  const bills = found.workloads.map(({ work, cpuMs }) => ({
    amounts: workNames.map((kind) => work[kind]),
    total: cpuMs,
  }));
  const fitted = pricesOf(bills);
  const one = (value: number, unit: string, what: string): object => ({
    value: Number(value.toPrecision(3)),
    unit,
    source: `${how}: ${what}`,
  });
  const { restart, commitWaitMs } = found;
  const fit = `least squares over ${bills.length} kinds of work`;
  const file = {
    name,
    profile: behaves,
    costs: {
      ...(commitWaitMs === undefined
        ? {}
        : {
            etcd: { commitWait: one(commitWaitMs, "ms", "median of a write less that of a read") },
          }),
      apiServer: {
        ...Object.fromEntries(
          workNames.map((kind, at) => [prices[kind][0], one(fitted[at]!, prices[kind][1], fit)]),
        ),
        watchBytes: one(
          found.watchBytes,
          "B",
          "resident memory of 1,500 idle watches, when 500 were open",
        ),
        encodeCopies: one(found.encodeCopies, "x answer", "8 LISTs that nobody reads, at the peak"),
        ...(restart === undefined
          ? {}
          : {
              decodePerMegabyte: one(
                restart.decodePerMegabyte,
                "ms/MB",
                "start with and without data",
              ),
              cacheCopies: one(restart.cacheCopies, "x data", "start with and without data"),
            }),
      },
    },
  };
  // What we write we can read.
  parseCostFile(JSON.stringify(file), "the file of costs");
  return file;
}

/** How well the prices explain each kind of work, for people. */
export function residuals(found: Measurements): string[] {
  const amounts = found.workloads.map(({ work }) => workNames.map((kind) => work[kind]));
  const fitted = pricesOf(
    found.workloads.map(({ cpuMs }, at) => ({ amounts: amounts[at]!, total: cpuMs })),
  );
  return found.workloads.map(({ name, cpuMs }, at) => {
    const explained = amounts[at]!.reduce((sum, amount, kind) => sum + amount * fitted[kind]!, 0);
    const off = ((explained - cpuMs) / cpuMs) * 100;
    return `  ${name.padEnd(44)} ${cpuMs.toFixed(0).padStart(6)} ms of CPU, the prices say ${off >= 0 ? "+" : ""}${off.toFixed(0)} %`;
  });
}
