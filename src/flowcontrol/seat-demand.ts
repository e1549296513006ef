// How many seats a priority level could have used, over time: mean, deviation and peak of each adjustment period, and the
// smoothed figure that borrowing goes by (upstream: fairqueuing/integrator.go, seatDemandStats).

/** Half-life of five minutes at one period in ten seconds. */
const smoothing = 0.977;

export interface DemandFigures {
  readonly highWatermark: number;
  readonly average: number;
  readonly deviation: number;
  readonly smoothed: number;
}

export class SeatDemand {
  #seats = 0;
  #since: number;
  #seconds = 0;
  #integral = 0;
  #squares = 0;
  #max = 0;
  #figures: DemandFigures = { highWatermark: 0, average: 0, deviation: 0, smoothed: 0 };

  /** `now`: monotonic ms, as everywhere here. */
  constructor(now: number) {
    this.#since = now;
  }

  get figures(): DemandFigures {
    return this.#figures;
  }

  set(now: number, seats: number): void {
    this.#integrate(now);
    this.#seats = seats;
    if (seats > this.#max) this.#max = seats;
  }

  /** Ends the period; the next one begins with the demand there is. */
  endPeriod(now: number): DemandFigures {
    this.#integrate(now);
    const highWatermark = Math.round(this.#max);
    let { average, deviation, smoothed } = this.#figures;
    if (this.#seconds > 0) {
      average = this.#integral / this.#seconds;
      const variance = this.#squares / this.#seconds - average * average;
      deviation = variance > 0 ? Math.sqrt(variance) : 0;
      const envelope = average + deviation;
      smoothed = Math.max(envelope, smoothing * smoothed + (1 - smoothing) * envelope);
    }
    this.#figures = { highWatermark, average, deviation, smoothed };
    this.#seconds = 0;
    this.#integral = 0;
    this.#squares = 0;
    this.#max = this.#seats;
    return this.#figures;
  }

  #integrate(now: number): void {
    const seconds = (now - this.#since) / 1_000;
    this.#since = now;
    this.#seconds += seconds;
    this.#integral += this.#seats * seconds;
    this.#squares += this.#seats * this.#seats * seconds;
  }
}
