// What a row of the ledger counts. Each counter has a place in a Float64Array, so that counting a request is a handful
// of additions and a slot of the window costs no objects.
import type { RequestCost } from "../../api/request-cost.ts";

export const counterNames = [
  "requests",
  /** 429: too many requests. */
  "rejections",
  /** Other answers from 400 on. */
  "errors",
  /** Seats times seconds of running. */
  "seatSeconds",
  "cpuMs",
  "bytesIn",
  "bytesOut",
  "objectsScanned",
  "objectsReturned",
  "storeReads",
  "storeObjects",
  "storeBytes",
  "storeWrites",
  "eventsDelivered",
  "watchesOpened",
  "watchesClosed",
  /** Lifetimes of those that closed. */
  "watchMs",
  "latencyMs",
  "queueWaitMs",
  /** Updates and patches that left the object as it was. */
  "unchangedWrites",
  /** Writes to one of the last few objects that the row wrote. */
  "repeatedWrites",
  /** Requests that came before the Retry-After of a refusal was over. */
  "impatient",
] as const;

export type CounterName = (typeof counterNames)[number];

/** By name, for reports. */
export type Counts = Readonly<Record<CounterName, number>>;

export const countersSize: number = counterNames.length;

/** Place of each counter. */
export const at: Readonly<Record<CounterName, number>> = Object.fromEntries(
  counterNames.map((name, index) => [name, index]),
) as Record<CounterName, number>;

export function countsOf(values: Float64Array): Counts {
  const counts = {} as Record<CounterName, number>;
  for (let i = 0; i < countersSize; i++) counts[counterNames[i]!] = values[i] ?? 0;
  return counts;
}

export function sumCounts(all: Iterable<Counts>): Counts {
  const sum = new Float64Array(countersSize);
  for (const counts of all)
    for (let i = 0; i < countersSize; i++) sum[i]! += counts[counterNames[i]!];
  return countsOf(sum);
}

/**
 * How much of the server something took, in one number for ranking: a plain request is 1, and so are a hundred objects
 * looked at, 100 kB moved, ten events sent.
 */
export function loadOf(counts: Counts): number {
  return (
    counts.requests +
    counts.objectsScanned / 100 +
    (counts.bytesIn + counts.bytesOut) / 100_000 +
    counts.eventsDelivered / 10 +
    counts.storeReads +
    counts.storeWrites
  );
}

/** The same of one request. */
export function loadOfRequest(cost: RequestCost): number {
  return (
    1 +
    cost.objectsScanned / 100 +
    (cost.bytesIn + cost.bytesOut) / 100_000 +
    cost.storeReads +
    cost.storeWrites
  );
}
