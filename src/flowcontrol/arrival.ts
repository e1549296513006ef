// What a queue set is told of a request that comes: how wide it is, where it may wait, and of whom it is.
import type { FlowFigures } from "./figures.ts";
import type { RequestDigest } from "./request-digest.ts";

export interface WorkEstimate {
  /** Seats held while it runs. */
  readonly initialSeats: number;
  /** Seats that its consequences (watch events) hold afterwards, for `additionalMs`. */
  readonly finalSeats: number;
  readonly additionalMs: number;
}

export const oneSeat: WorkEstimate = { initialSeats: 1, finalSeats: 0, additionalMs: 0 };

/** What a request is taken to last until anything is known of real durations (upstream: estimatedServiceDuration). */
export const estimatedMs = 3;

/** Of whom and what a request is, for dumps and metrics. */
export interface Arrival {
  readonly work: WorkEstimate;
  /** Queues that its flow may use, by index; empty where there are none. */
  readonly hand: readonly number[];
  readonly figures: FlowFigures;
  readonly distinguisher: string;
  readonly digest: RequestDigest;
}
