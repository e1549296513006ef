// The cores of one machine, shared fairly by whatever runs on it: n jobs on c cores get the speed min(1, c/n) of one core
// each. That is what a kernel's scheduler does to threads of equal weight, seen from far enough away.
import type { Cancel, Clock } from "../../host/host.ts";
import { Heap } from "../../std/heap.ts";

/** The process that wanted the work done is gone. */
export class KilledError extends Error {
  override readonly name = "KilledError";
}

interface Job {
  readonly owner: string;
  /** What `#service` is when it is done. */
  readonly endsAt: number;
  readonly sequence: number;
  readonly done: () => void;
  readonly killed: () => void;
}

export class Processor {
  readonly #clock: Clock;
  readonly #cores: number;
  readonly #jobs = new Heap<Job>((a, b) =>
    a.endsAt === b.endsAt ? a.sequence < b.sequence : a.endsAt < b.endsAt,
  );
  /** Core milliseconds that each job would have had, had it run since the beginning. */
  #service = 0;
  #asOf: number;
  #busyMs = 0;
  #sequence = 0;
  #cancel: Cancel = () => undefined;

  constructor(clock: Clock, cores: number) {
    this.#clock = clock;
    this.#cores = cores;
    this.#asOf = clock.monotonic();
  }

  /** Resolves when one core has worked `ms` for it; rejects with KilledError when `drop(owner)` comes first. */
  run(owner: string, ms: number): Promise<void> {
    if (ms <= 0) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#catchUp();
      const killed = (): void => reject(new KilledError(`${owner} was killed`));
      const endsAt = this.#service + ms;
      this.#jobs.push({ owner, endsAt, sequence: this.#sequence++, done: resolve, killed });
      this.#schedule();
    });
  }

  /** Nothing of `owner` is worked on any more. */
  drop(owner: string): void {
    this.#catchUp();
    const dropped = this.#jobs.removeWhere((job) => job.owner === owner);
    this.#schedule();
    for (const job of dropped.toSorted((a, b) => a.sequence - b.sequence)) job.killed();
  }

  /** Jobs under way. */
  get running(): number {
    return this.#jobs.size;
  }

  /** Core milliseconds worked so far, over all cores. */
  get busyMs(): number {
    this.#catchUp();
    return this.#busyMs;
  }

  get cores(): number {
    return this.#cores;
  }

  #speed(): number {
    return Math.min(1, this.#cores / this.#jobs.size);
  }

  #catchUp(): void {
    const now = this.#clock.monotonic();
    const elapsed = now - this.#asOf;
    this.#asOf = now;
    if (elapsed === 0 || this.#jobs.size === 0) return;
    const share = elapsed * this.#speed();
    this.#service += share;
    this.#busyMs += share * this.#jobs.size;
  }

  #schedule(): void {
    this.#cancel();
    this.#cancel = () => undefined;
    const next = this.#jobs.peek();
    if (next === undefined) return;
    const ms = Math.max(0, next.endsAt - this.#service) / this.#speed();
    this.#cancel = this.#clock.after(ms, () => this.#finish(next));
  }

  /** `due` is done by definition: sums of fractions must not leave it a hair short. */
  #finish(due: Job): void {
    this.#catchUp();
    this.#service = Math.max(this.#service, due.endsAt);
    const done: Job[] = [];
    while (this.#jobs.size > 0 && this.#jobs.peek()!.endsAt <= this.#service) {
      const job = this.#jobs.pop();
      if (job !== undefined) done.push(job);
    }
    this.#schedule();
    for (const job of done) job.done();
  }
}
