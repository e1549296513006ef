// What Retry-After says to refused requests of one priority level: doubled while many are refused, one less when few are
// (upstream: dropped_requests_tracker.go). Counts by whole seconds; time is the caller's.

const retryAfterMax = 32;

interface Second {
  readonly second: number;
  readonly refused: number;
}

export class RetryAfter {
  #seconds = 1;
  #raisedAt = 0;
  #current = 0;
  #count = 0;
  #history: Second[] = [];

  /** What the answer to a refusal says. */
  get seconds(): number {
    return this.#seconds;
  }

  /** `nowMs`: wall time. */
  refused(nowMs: number): void {
    const second = Math.floor(nowMs / 1_000);
    if (second === this.#current) {
      this.#count++;
      return;
    }
    this.#history.push({ second: this.#current, refused: this.#count });
    const kept = Math.min(2 * this.#seconds, retryAfterMax);
    this.#history = this.#history.filter((past) => second - past.second <= kept);
    this.#current = second;
    this.#count = 1;
    this.#adapt(second);
  }

  /** Looks at the seconds before `second`, as many as Retry-After says. */
  #adapt(second: number): void {
    let refused = 0;
    for (const past of this.#history) {
      if (past.second < second && second - past.second <= this.#seconds) refused += past.refused;
    }
    if (second - this.#raisedAt >= this.#seconds && refused >= 3 * this.#seconds) {
      this.#seconds = Math.min(2 * this.#seconds, retryAfterMax);
      this.#raisedAt = second;
    } else if (refused < this.#seconds && this.#seconds > 1) {
      this.#seconds--;
    }
  }
}
