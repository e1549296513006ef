// How the Kubernetes minors differ in flow control, as data (docs/guards.md has the table with sources). Wavetank's own
// LISTs cost what an index finds, which `wavetankFlowControl` says; everything else is 1.36.
import { type Steps, stepAt } from "../std/steps.ts";

export interface FlowControlProfile {
  /** What the server does when nobody says: before 1.20 Priority and Fairness was off, and max-in-flight limits held. */
  readonly enabled: boolean;
  /**
   * Seats of a LIST. One: any LIST has one. Count: objects read per 100. Size: bytes held at once per 100 kB. Matched:
   * as Size, of the objects that the index finds.
   */
  readonly listWork: "One" | "Count" | "Size" | "Matched";
  readonly listSeatsMax: number;
  /** No LIST or write is wider than a part of its priority level. */
  readonly seatsByLevel: boolean;
  /** LISTs without a resourceVersion are answered from the cache. */
  readonly consistentListFromCache: boolean;
  /** Writes hold seats for the watch events they cause. */
  readonly watchFanOut: boolean;
  /** A WATCH holds seats until its initial events are out. None: it is not counted at all. */
  readonly watchStart: "None" | "One" | "AsList";
  /** Levels lend and borrow seats every 10 s. */
  readonly borrowing: boolean;
  /** How long a request may wait: a quarter of the server's request timeout, or of the request's own. */
  readonly wait: "QuarterOfServer" | "QuarterOfRequest";
  readonly retryAfter: "One" | "Adaptive";
  /** What a request that begins is charged until it ends: upstream's guess, or what others lasted lately. */
  readonly expectedDuration: "Guessed" | "Learned";
  /** For the suggested levels as long as nobody changed them. */
  readonly suggestedQueues: SuggestedQueues;
  /** Versions of flowcontrol.apiserver.k8s.io served besides v1, newest first. */
  readonly oldVersions: readonly OldFlowControlVersion[];
}

export type OldFlowControlVersion = "v1beta3" | "v1beta2" | "v1beta1";

export interface SuggestedQueues {
  /** Each of their queues holds so many times what its object says. */
  readonly lengthFactor: number;
  /** The part of the request's time that may be spent waiting. */
  readonly waitPart: number;
}

const asWritten: SuggestedQueues = { lengthFactor: 1, waitPart: 1 / 4 };

const own: SuggestedQueues = { lengthFactor: 20, waitPart: 3 / 4 };

const since34: FlowControlProfile = {
  enabled: true,
  listWork: "Size",
  listSeatsMax: 100,
  seatsByLevel: true,
  consistentListFromCache: true,
  watchFanOut: true,
  watchStart: "AsList",
  borrowing: true,
  wait: "QuarterOfRequest",
  retryAfter: "Adaptive",
  expectedDuration: "Guessed",
  suggestedQueues: asWritten,
  oldVersions: [],
};

/** The WatchList gate was off again in 1.33. */
const since33: FlowControlProfile = {
  ...since34,
  listWork: "Count",
  listSeatsMax: 10,
  watchStart: "One",
};
const since32: FlowControlProfile = { ...since33, watchStart: "AsList" };
const since31: FlowControlProfile = { ...since33, oldVersions: ["v1beta3"] };
const since29: FlowControlProfile = { ...since31, consistentListFromCache: false };
const since28: FlowControlProfile = {
  ...since29,
  wait: "QuarterOfServer",
  oldVersions: ["v1beta3", "v1beta2"],
};
const since26: FlowControlProfile = { ...since28, seatsByLevel: false, retryAfter: "One" };
const since23: FlowControlProfile = {
  ...since26,
  borrowing: false,
  oldVersions: ["v1beta2", "v1beta1"],
};
const since22: FlowControlProfile = {
  ...since23,
  listWork: "One",
  watchFanOut: false,
  oldVersions: ["v1beta1"],
};
const since20: FlowControlProfile = { ...since22, watchStart: "None" };

/** By Kubernetes minor. */
const flowControlProfiles: Steps<FlowControlProfile> = [
  [16, { ...since20, enabled: false, oldVersions: [] }],
  [20, since20],
  [22, since22],
  [23, since23],
  [26, since26],
  [28, since28],
  [29, since29],
  [31, since31],
  [32, since32],
  [33, since33],
  [34, since34],
];

export function flowcontrolProfileOf(minor: number): FlowControlProfile {
  return stepAt(flowControlProfiles, minor);
}

/** Kubernetes 1.36 where it is a promise, our own costs where it is a guess about another server's memory. */
export const wavetankFlowControl: FlowControlProfile = {
  ...since34,
  listWork: "Matched",
  expectedDuration: "Learned",
  suggestedQueues: own,
};
