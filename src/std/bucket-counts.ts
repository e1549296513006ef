// Counts of observations by bucket, with their sum: what a Prometheus histogram is made of. Knows nothing of printing.

/** How many ascending bounds are below `value`: the bucket it falls into. */
function bucketOf(bounds: readonly number[], value: number): number {
  let at = 0;
  while (at < bounds.length && value > bounds[at]!) at++;
  return at;
}

export class BucketCounts {
  /** Ascending; a last bucket without bound is implied. */
  readonly bounds: readonly number[];
  /** Of each bucket alone, one more than bounds. */
  readonly counts: Float64Array;
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    this.observeMany(value, 1);
  }

  /** As `observe` done `times` times, which may be a fraction. */
  observeMany(value: number, times: number): void {
    this.counts[bucketOf(this.bounds, value)]! += times;
    this.sum += value * times;
  }
}
