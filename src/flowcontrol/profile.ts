// How the Kubernetes minors differ in flow control, as data (docs/guards.md has the table with sources). Wavetank's own
// LISTs cost what an index finds, which `wavetankFlowControl` says; everything else is 1.36.

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
  /** For the suggested levels as long as nobody changed them. */
  readonly suggestedQueues: SuggestedQueues;
  /** Versions of flowcontrol.apiserver.k8s.io served besides v1, newest first. */
  readonly oldVersions: readonly ("v1beta3" | "v1beta2" | "v1beta1")[];
}

export interface SuggestedQueues {
  /** Each of their queues holds so many times what its object says. */
  readonly lengthFactor: number;
  /** The part of the request's time that may be spent waiting. */
  readonly waitPart: number;
}

const asWritten: SuggestedQueues = { lengthFactor: 1, waitPart: 1 / 4 };

/** `minor` of Kubernetes 1.x. */
export function flowcontrolProfileOf(minor: number): FlowControlProfile {
  return {
    enabled: minor >= 20,
    listWork: listWorkOf(minor),
    listSeatsMax: minor >= 34 ? 100 : 10,
    seatsByLevel: minor >= 28,
    consistentListFromCache: minor >= 31,
    watchFanOut: minor >= 23,
    watchStart: watchStartOf(minor),
    borrowing: minor >= 26,
    wait: minor >= 29 ? "QuarterOfRequest" : "QuarterOfServer",
    retryAfter: minor >= 28 ? "Adaptive" : "One",
    suggestedQueues: asWritten,
    oldVersions: oldVersionsOf(minor),
  };
}

/** Kubernetes 1.36 where it is a promise, our own costs where it is a guess about another server's memory. */
export const wavetankFlowControl: FlowControlProfile = {
  ...flowcontrolProfileOf(36),
  listWork: "Matched",
  suggestedQueues: { lengthFactor: 20, waitPart: 1 / 2 },
};

function listWorkOf(minor: number): FlowControlProfile["listWork"] {
  if (minor >= 34) return "Size";
  return minor >= 23 ? "Count" : "One";
}

/** The WatchList gate was on in 1.32, off again in 1.33, on from 1.34. */
function watchStartOf(minor: number): FlowControlProfile["watchStart"] {
  if (minor < 22) return "None";
  return minor === 32 || minor >= 34 ? "AsList" : "One";
}

function oldVersionsOf(minor: number): FlowControlProfile["oldVersions"] {
  const served: FlowControlProfile["oldVersions"][number][] = [];
  if (minor >= 26 && minor < 32) served.push("v1beta3");
  if (minor >= 23 && minor < 29) served.push("v1beta2");
  if (minor >= 20 && minor < 26) served.push("v1beta1");
  return served;
}
