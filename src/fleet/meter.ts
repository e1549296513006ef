// Counts what a population does, in memory that does not grow with it: every attempt of every member passes here.
import { Histogram } from "../std/histogram.ts";
import { SlotSeries } from "../std/slot-series.ts";
import type { ErrorReport, FlowReport, PopulationReport, SeriesReport } from "./report.ts";

const slotMsFirst = 250;
const slotsMax = 240;
const errorsMax = 50;
const flowsMax = 50;

const columns = {
  requests: "sum",
  succeeded: "sum",
  errors: "sum",
  bytes: "sum",
  watchesOpen: "peak",
  latencyMs: "peak",
} as const;

export interface Refusal {
  /** 0: no answer. */
  readonly status: number;
  readonly reason: string;
  readonly message: string;
}

interface VerbTimes {
  readonly latency: Histogram;
  readonly head: Histogram;
}

export class PopulationMeter {
  readonly #startedAt: number;
  readonly #verbs = new Map<string, VerbTimes>();
  readonly #errors = new Map<string, { refusal: Refusal; count: number }>();
  readonly #flows = new Map<string, { flow: Omit<FlowReport, "count">; count: number }>();
  readonly #series = new SlotSeries(columns, slotMsFirst, slotsMax);
  readonly #requests = { started: 0, succeeded: 0, refused: 0, broken: 0, abandoned: 0 };
  readonly #members = { started: 0, finished: 0, synced: 0, failed: 0 };
  readonly #retryAfter = { count: 0, minSeconds: 0, maxSeconds: 0 };
  readonly #watches = { opened: 0, open: 0, peak: 0, events: 0 };
  readonly #bytes = { received: 0, sent: 0 };
  #inFlight = 0;
  #peakInFlight = 0;

  /** `startedAt`: monotonic, the zero of the series. */
  constructor(startedAt: number) {
    this.#startedAt = startedAt;
  }

  get requestsStarted(): number {
    return this.#requests.started;
  }

  memberStarted(): void {
    this.#members.started++;
  }

  memberEnded(how: "finished" | "failed"): void {
    this.#members[how]++;
  }

  memberSynced(): void {
    this.#members.synced++;
  }

  requestStarted(at: number, sentBytes: number): void {
    this.#requests.started++;
    this.#bytes.sent += sentBytes;
    this.#inFlight++;
    this.#peakInFlight = Math.max(this.#peakInFlight, this.#inFlight);
    this.#record("requests", at, 1);
  }

  requestSucceeded(verb: string, at: number, times: { head: number; whole: number }): void {
    this.#inFlight--;
    this.#requests.succeeded++;
    const own = this.#timesOf(verb);
    own.latency.record(times.whole);
    own.head.record(times.head);
    this.#record("succeeded", at, 1);
    this.#record("latencyMs", at, times.whole);
  }

  requestFailed(at: number, kind: "refused" | "broken", refusal: Refusal): void {
    this.#inFlight--;
    this.#requests[kind]++;
    this.#note(refusal);
    this.#record("errors", at, 1);
  }

  requestAbandoned(): void {
    this.#inFlight--;
    this.#requests.abandoned++;
  }

  /** The client's own limit was met; the request counts as abandoned besides. */
  clientTimeout(at: number): void {
    this.#note({ status: 0, reason: "ClientTimeout", message: "the client gave up waiting" });
    this.#record("errors", at, 1);
  }

  bytesReceived(at: number, count: number): void {
    this.#bytes.received += count;
    this.#record("bytes", at, count);
  }

  retryAfter(seconds: number): void {
    const told = this.#retryAfter;
    told.minSeconds = told.count === 0 ? seconds : Math.min(told.minSeconds, seconds);
    told.maxSeconds = Math.max(told.maxSeconds, seconds);
    told.count++;
  }

  flow(flowSchemaUid: string, priorityLevelUid: string): void {
    const key = `${flowSchemaUid} ${priorityLevelUid}`;
    const known = this.#flows.get(key);
    if (known !== undefined) known.count++;
    else if (this.#flows.size < flowsMax)
      this.#flows.set(key, { flow: { flowSchemaUid, priorityLevelUid }, count: 1 });
  }

  watchOpened(at: number): void {
    const watches = this.#watches;
    watches.opened++;
    watches.open++;
    watches.peak = Math.max(watches.peak, watches.open);
    this.#record("watchesOpen", at, watches.open);
  }

  watchClosed(at: number): void {
    this.#record("watchesOpen", at, this.#watches.open);
    this.#watches.open--;
  }

  eventReceived(): void {
    this.#watches.events++;
  }

  /** `at`: now, so that watches that stay open are seen in the newest slot. */
  report(of: { name: string; behaviour: string; count: number }, at: number): PopulationReport {
    this.#record("watchesOpen", at, this.#watches.open);
    return {
      name: of.name,
      behaviour: of.behaviour,
      members: { count: of.count, ...this.#members },
      requests: { ...this.#requests, peakInFlight: this.#peakInFlight },
      verbs: [...this.#verbs.entries()].map(([verb, { latency, head }]) => ({
        verb,
        latencyMs: latency.summary(),
        headMs: head.summary(),
      })),
      errors: this.#errorReports(),
      retryAfter: { ...this.#retryAfter },
      flows: [...this.#flows.values()].map(({ flow, count }) => ({
        flowSchemaUid: flow.flowSchemaUid,
        priorityLevelUid: flow.priorityLevelUid,
        count,
      })),
      bytes: { ...this.#bytes },
      watches: { ...this.#watches },
      series: this.#seriesReport(),
    };
  }

  #errorReports(): ErrorReport[] {
    return [...this.#errors.values()]
      .map(({ refusal: { status, reason, message }, count }) => ({
        status,
        reason,
        message,
        count,
      }))
      .sort((a, b) => b.count - a.count);
  }

  #seriesReport(): SeriesReport {
    const series = this.#series;
    const column = (name: keyof typeof columns): readonly number[] => series.values(name);
    return {
      slotMs: series.slotMs,
      requests: column("requests"),
      succeeded: column("succeeded"),
      errors: column("errors"),
      bytes: column("bytes"),
      watchesOpen: column("watchesOpen"),
      latencyMs: column("latencyMs"),
    };
  }

  #note(refusal: Refusal): void {
    const key = `${refusal.status} ${refusal.reason}`;
    const known = this.#errors.get(key);
    if (known !== undefined) known.count++;
    else if (this.#errors.size < errorsMax) this.#errors.set(key, { refusal, count: 1 });
  }

  #timesOf(verb: string): VerbTimes {
    let own = this.#verbs.get(verb);
    if (own === undefined) {
      own = { latency: new Histogram(), head: new Histogram() };
      this.#verbs.set(verb, own);
    }
    return own;
  }

  #record(name: keyof typeof columns, at: number, value: number): void {
    this.#series.record(name, at - this.#startedAt, value);
  }
}
