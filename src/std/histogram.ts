// Counts of measured values in bounded memory: buckets grow with the value, so that every percentile is right within two
// per cent whether the values are microseconds or hours. Knows nothing of what is measured.

/** Buckets to each doubling of the value. */
const bucketsPerDoubling = 32;
/** Values below this share the first bucket. */
const smallest = 0.01;
const doublings = 40;
const bucketsMax = bucketsPerDoubling * doublings;

export interface Summary {
  readonly count: number;
  readonly mean: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
}

export class Histogram {
  readonly #counts = new Map<number, number>();
  #count = 0;
  #sum = 0;
  #max = 0;

  get count(): number {
    return this.#count;
  }

  /** Negative values count as 0. */
  record(value: number): void {
    const bucket = bucketOf(value);
    this.#counts.set(bucket, (this.#counts.get(bucket) ?? 0) + 1);
    this.#count++;
    this.#sum += Math.max(0, value);
    this.#max = Math.max(this.#max, value);
  }

  add(other: Histogram): void {
    for (const [bucket, count] of other.#counts)
      this.#counts.set(bucket, (this.#counts.get(bucket) ?? 0) + count);
    this.#count += other.#count;
    this.#sum += other.#sum;
    this.#max = Math.max(this.#max, other.#max);
  }

  /** The value that `share` (0 to 1) of all values do not exceed; 0 when there are none. */
  percentile(share: number): number {
    const wanted = Math.max(1, Math.ceil(share * this.#count));
    let seen = 0;
    for (const bucket of [...this.#counts.keys()].sort((a, b) => a - b)) {
      seen += this.#counts.get(bucket) ?? 0;
      if (seen >= wanted) return Math.min(upperBound(bucket), this.#max);
    }
    return 0;
  }

  summary(): Summary {
    return {
      count: this.#count,
      mean: round(this.#count === 0 ? 0 : this.#sum / this.#count),
      p50: round(this.percentile(0.5)),
      p90: round(this.percentile(0.9)),
      p99: round(this.percentile(0.99)),
      max: round(this.#max),
    };
  }
}

function bucketOf(value: number): number {
  if (!(value > smallest)) return 0;
  const bucket = Math.ceil(Math.log2(value / smallest) * bucketsPerDoubling);
  return Math.min(bucket, bucketsMax - 1);
}

function upperBound(bucket: number): number {
  return smallest * 2 ** (bucket / bucketsPerDoubling);
}

function round(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
