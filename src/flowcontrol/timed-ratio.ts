// A quantity as a fraction of its limit, observed "at the end of every nanosecond": each value counts for as long as it
// lasted (upstream: metrics/timing_ratio_histogram.go).
import { BucketCounts } from "../std/bucket-counts.ts";

const nanosecondsPerMs = 1_000_000;

export class TimedRatio {
  readonly histogram: BucketCounts;
  #value = 0;
  #limit: number;
  #since: number;

  constructor(bounds: readonly number[], now: number, limit = 1) {
    this.histogram = new BucketCounts(bounds);
    this.#since = now;
    this.#limit = limit;
  }

  set(now: number, value: number): void {
    this.observe(now);
    this.#value = value;
  }

  setLimit(now: number, limit: number): void {
    this.observe(now);
    this.#limit = limit;
  }

  /** Counts what lasted until now. */
  observe(now: number): void {
    const elapsed = now - this.#since;
    if (elapsed <= 0) return;
    this.#since = now;
    this.histogram.observeMany(this.#value / this.#limit, elapsed * nanosecondsPerMs);
  }
}
