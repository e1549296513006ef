// Where the server hands in what requests cost. Calls come once a request, synchronously, on the request's own time: no
// implementation may do more than count.
import type { RequestCost } from "../api/request-cost.ts";
import type { Cancel } from "../host/host.ts";
import type { RequestDigest } from "./request-digest.ts";

export interface AnsweredRequest {
  readonly digest: RequestDigest;
  readonly cost: RequestCost;
  /** HTTP status of the answer. */
  readonly status: number;
}

export interface FinishedRequest extends AnsweredRequest {
  /** From the first byte in to the last byte out. */
  readonly latencyMs: number;
  /** What a refusal asked for; 0: nothing. */
  readonly retryAfterSeconds: number;
}

export interface Accountant {
  /** Answered to its last byte, or broken off. `cost` changes no more. */
  finished(request: FinishedRequest): void;
  /**
   * A watch, log or exec that was let in: its `cost` grows while it is open and may be read at any time. The result is
   * called once, when it is over; `finished` is not.
   */
  opened(request: AnsweredRequest): Cancel;
}

/** For servers that keep no books. */
export const noAccountant: Accountant = { finished: () => {}, opened: () => () => {} };
