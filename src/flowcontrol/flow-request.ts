// One request as the queue set sees it: how wide it is, when it came and where it stands.
import type { FlowFigures } from "./figures.ts";
import type { RequestDigest } from "./request-digest.ts";
import type { FlowQueue } from "./queue.ts";

export interface WorkEstimate {
  /** Seats held while it runs. */
  readonly initialSeats: number;
  /** Seats that its consequences (watch events) hold afterwards, for `additionalMs`. */
  readonly finalSeats: number;
  readonly additionalMs: number;
}

export const oneSeat: WorkEstimate = { initialSeats: 1, finalSeats: 0, additionalMs: 0 };

/** What a request is taken to last until its real duration is known (upstream: estimatedServiceDuration). */
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

export class FlowRequest {
  readonly figures: FlowFigures;
  readonly distinguisher: string;
  readonly digest: RequestDigest;
  readonly arrivedAt: number;
  readonly initialSeats: number;
  finalSeats: number;
  additionalMs: number;
  /** Its queue set's R when it came. */
  arrivalR: number;
  startedAt = 0;
  state: "Waiting" | "Executing" | "Lingering" | "Done" = "Waiting";
  queue: FlowQueue | undefined;

  constructor(arrival: Arrival, now: number, arrivalR: number) {
    const { work } = arrival;
    this.figures = arrival.figures;
    this.distinguisher = arrival.distinguisher;
    this.digest = arrival.digest;
    this.arrivedAt = now;
    this.arrivalR = arrivalR;
    this.initialSeats = work.initialSeats;
    this.finalSeats = work.finalSeats;
    this.additionalMs = work.additionalMs;
  }

  /** Held from dispatch until the end of the additional time. */
  get seats(): number {
    return Math.max(this.initialSeats, this.finalSeats);
  }

  /** Seat-seconds that it is taken to need. */
  get work(): number {
    return (this.initialSeats * estimatedMs + this.finalSeats * this.additionalMs) / 1_000;
  }
}
