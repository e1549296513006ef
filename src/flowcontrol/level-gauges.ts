// What metrics tell of one priority level over time. The level's queue set says each change; nothing here decides.
import type { FlowQueue } from "./queue.ts";
import { TimedRatio } from "./timed-ratio.ts";

const utilisation = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1];
const requests = [0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.25, 0.5, 0.75, 1];
const demands = [0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.4, 1.7, 2, 2.8, 4, 6];

export interface DispatchFigures {
  /** R of the last dispatch, and where in the virtual world that request started. */
  readonly r: number;
  readonly s: number;
  readonly sMin: number;
  readonly sMax: number;
  readonly discountedMin: number;
  readonly discountedMax: number;
}

const noDispatch: DispatchFigures = {
  r: 0,
  s: 0,
  sMin: 0,
  sMax: 0,
  discountedMin: 0,
  discountedMax: 0,
};

export class LevelGauges {
  readonly seatRatio: TimedRatio;
  readonly waitingRatio: TimedRatio;
  readonly executingRatio: TimedRatio;
  readonly demandRatio: TimedRatio;
  epochs = 0;
  #last: DispatchFigures = noDispatch;

  constructor(now: number) {
    this.seatRatio = new TimedRatio(utilisation, now);
    this.waitingRatio = new TimedRatio(requests, now);
    this.executingRatio = new TimedRatio(requests, now);
    this.demandRatio = new TimedRatio(demands, now);
  }

  get last(): DispatchFigures {
    return this.#last;
  }

  limits(now: number, limit: { readonly waitingMax: number; readonly seats: number }): void {
    const seats = Math.max(1, limit.seats);
    this.waitingRatio.setLimit(now, limit.waitingMax);
    this.executingRatio.setLimit(now, seats);
    this.seatRatio.setLimit(now, seats);
    this.demandRatio.setLimit(now, seats);
  }

  waiting(now: number, count: number): void {
    this.waitingRatio.set(now, count);
  }

  executing(now: number, count: number): void {
    this.executingRatio.set(now, count);
  }

  seats(now: number, count: number): void {
    this.seatRatio.set(now, count);
  }

  demand(now: number, count: number): void {
    this.demandRatio.set(now, count);
  }

  dispatch(r: number, chosen: FlowQueue, waiting: Iterable<FlowQueue>): void {
    let sMin = Infinity;
    let sMax = 0;
    let discountedMin = Infinity;
    let discountedMax = 0;
    for (const queue of waiting) {
      const { nextDispatchR, workInProgress } = queue;
      sMin = Math.min(sMin, nextDispatchR);
      sMax = Math.max(sMax, nextDispatchR);
      discountedMin = Math.min(discountedMin, nextDispatchR - workInProgress);
      discountedMax = Math.max(discountedMax, nextDispatchR - workInProgress);
    }
    this.#last = { r, s: chosen.nextDispatchR, sMin, sMax, discountedMin, discountedMax };
  }
}
