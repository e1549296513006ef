// What came of a run, as plain data: the command prints it, rehearsals draw it. Times are in ms.
import type { Summary } from "../std/histogram.ts";

export interface FleetReport {
  readonly name: string;
  /** Wall time of the first member's start, RFC 3339. */
  readonly startedAt: string;
  readonly durationMs: number;
  readonly outcome: FleetOutcome;
  readonly populations: readonly PopulationReport[];
}

/** `completed`: all members with an end reached it. `time` and `requests`: a bound was met. */
export type FleetOutcome = "running" | "completed" | "time" | "requests" | "stopped";

export interface PopulationReport {
  readonly name: string;
  readonly behaviour: string;
  readonly members: {
    readonly count: number;
    readonly started: number;
    /** Came to their end by themselves. */
    readonly finished: number;
    /** Members whose views were all complete once. */
    readonly synced: number;
    /** Ended by an error of the driver itself. */
    readonly failed: number;
  };
  /** Attempts as the server sees them: a call that is retried counts each time. */
  readonly requests: {
    readonly started: number;
    readonly succeeded: number;
    /** Answered with 400 and more. */
    readonly refused: number;
    /** No answer, or it broke off. */
    readonly broken: number;
    /** Given up by the client: its own time limit, or the end of the run. */
    readonly abandoned: number;
    readonly peakInFlight: number;
  };
  readonly verbs: readonly VerbReport[];
  readonly errors: readonly ErrorReport[];
  readonly retryAfter: {
    readonly count: number;
    readonly minSeconds: number;
    readonly maxSeconds: number;
  };
  /** Which flow schemas and priority levels the server says it used. */
  readonly flows: readonly FlowReport[];
  readonly bytes: { readonly received: number; readonly sent: number };
  readonly watches: {
    readonly opened: number;
    readonly open: number;
    readonly peak: number;
    readonly events: number;
  };
  readonly series: SeriesReport;
}

export interface VerbReport {
  /** LIST, WATCH, GET, CREATE, UPDATE, PATCH, DELETE, DELETECOLLECTION. */
  readonly verb: string;
  /** To the end of a good answer; of a WATCH to its beginning. */
  readonly latencyMs: Summary;
  /** To its head. */
  readonly headMs: Summary;
}

export interface ErrorReport {
  /** 0: there was no answer. */
  readonly status: number;
  readonly reason: string;
  readonly count: number;
  /** Of the first. */
  readonly message: string;
}

export interface FlowReport {
  readonly flowSchemaUid: string;
  readonly priorityLevelUid: string;
  /** Names, once they were asked for; "" where the server does not tell. */
  readonly flowSchema?: string;
  readonly priorityLevel?: string;
  readonly count: number;
}

/** Columns of equal length, one value a slot. */
export interface SeriesReport {
  readonly slotMs: number;
  readonly requests: readonly number[];
  readonly succeeded: readonly number[];
  readonly errors: readonly number[];
  readonly bytes: readonly number[];
  /** Peaks within the slot. */
  readonly watchesOpen: readonly number[];
  readonly latencyMs: readonly number[];
}
