// One of a queue set's queues: who waits in it, in order of arrival, and who of it runs. Keeps sums, decides nothing.
import { type Arrival, estimatedMs } from "./arrival.ts";
import type { FlowFigures } from "./figures.ts";
import type { RequestDigest } from "./request-digest.ts";

export class FlowQueue {
  /** Moves when a queue before it is removed. */
  index: number;
  /** In order of arrival. */
  readonly waiting: Set<FlowRequest> = new Set();
  readonly executing: Set<FlowRequest> = new Set();
  seatsInUse = 0;
  /** R at which its next request starts in the virtual world, seat-seconds. */
  nextDispatchR = 0;
  initialSeatsWaiting = 0;
  seatsWaiting = 0;
  workWaiting = 0;

  constructor(index: number) {
    this.index = index;
  }

  get oldest(): FlowRequest | undefined {
    for (const request of this.waiting) return request;
    return undefined;
  }

  get isActive(): boolean {
    return this.waiting.size > 0 || this.executing.size > 0;
  }

  /** Seat-seconds that its running requests are taken to need altogether. */
  get workInProgress(): number {
    return (this.seatsInUse * estimatedMs) / 1_000;
  }

  add(request: FlowRequest): void {
    this.waiting.add(request);
    this.#count(request, 1);
  }

  remove(request: FlowRequest): void {
    if (this.waiting.delete(request)) this.#count(request, -1);
  }

  /** Dispatch in the virtual world must not come before arrival: a queue gets nothing for time in which it was idle. */
  bound(): void {
    const { oldest } = this;
    if (oldest !== undefined && this.nextDispatchR < oldest.arrivalR)
      this.nextDispatchR = oldest.arrivalR;
  }

  #count(request: FlowRequest, sign: 1 | -1): void {
    this.initialSeatsWaiting += sign * request.initialSeats;
    this.seatsWaiting += sign * request.seats;
    this.workWaiting = this.waiting.size === 0 ? 0 : this.workWaiting + sign * request.work;
  }
}

/** Where a request stands. */
export class FlowRequest {
  readonly figures: FlowFigures;
  readonly distinguisher: string;
  readonly digest: RequestDigest;
  readonly arrivedAt: number;
  /** What it is taken to last until its real duration is known. */
  readonly expectedMs: number;
  readonly initialSeats: number;
  finalSeats: number;
  additionalMs: number;
  /** Its queue set's R when it came. */
  arrivalR: number;
  startedAt = 0;
  state: "Waiting" | "Executing" | "Lingering" | "Done" = "Waiting";
  queue: FlowQueue | undefined;

  constructor(arrival: Arrival, at: { now: number; arrivalR: number; expectedMs: number }) {
    const { work } = arrival;
    this.figures = arrival.figures;
    this.distinguisher = arrival.distinguisher;
    this.digest = arrival.digest;
    this.arrivedAt = at.now;
    this.arrivalR = at.arrivalR;
    this.expectedMs = at.expectedMs;
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
    return (this.initialSeats * this.expectedMs + this.finalSeats * this.additionalMs) / 1_000;
  }
}
