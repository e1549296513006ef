// One resource's recent past: a chain of changes, each with the state after it, so that a LIST at any kept revision is
// as cheap as one of the present, and a watcher can start anywhere in it. Bounded by time, events and bytes.
import { assert } from "../std/assert.ts";
import type { Change, ChainReader, ObjectChange } from "./change.ts";
import type { Snapshot } from "./snapshot.ts";

export interface WindowLimits {
  /** Changes younger than this are kept unless a bound below says no. Upstream aims at 75 s too. */
  readonly aimMs: number;
  /** Kept however old they are, so that watchers of quiet resources can resume. */
  readonly eventsMin: number;
  readonly eventsMax: number;
  /** Of superseded objects and the nodes of old snapshots. */
  readonly bytesMax: number;
}

export const defaultWindowLimits: WindowLimits = {
  aimMs: 75_000,
  eventsMin: 1_000,
  eventsMax: 100_000,
  bytesMax: 64 * 1_048_576,
};

/** A step's own records, and the copied nodes of each sorted map that it changed: measured on 30,000 pods. */
const stepBytes = 512;
const mapPathBytes = 1_280;

export class Window {
  readonly #limits: WindowLimits;
  /** Oldest first; the first one's state is the oldest that can be read. */
  #changes: Change[];
  /** Where the live part of `#changes` begins; what is before it was evicted. */
  #head = 0;
  #events = 0;
  #bytes = 0;

  constructor(limits: WindowLimits, revision: number, snapshot: Snapshot) {
    this.#limits = limits;
    this.#changes = [baseChange(revision, snapshot)];
  }

  get newest(): Change {
    return this.#changes.at(-1)!;
  }

  /** The state as of this revision and every later change is known. */
  get oldest(): number {
    return this.#changes[this.#head]!.revision;
  }

  get events(): number {
    return this.#events;
  }

  get bytes(): number {
    return this.#bytes;
  }

  append(
    revision: number,
    time: number,
    step: { snapshot: Snapshot; steps: ObjectChange[] },
  ): Change {
    assert(revision > this.newest.revision, "changes come in revision order");
    const maps = changedMaps(this.newest.snapshot, step.snapshot);
    let bytes = 0;
    for (const { previous } of step.steps)
      bytes += stepBytes + maps * mapPathBytes + (previous?.bytes.length ?? 0);
    const change: Change = { revision, time, ...step, bytes, next: undefined, readers: undefined };
    this.newest.next = change;
    this.#changes.push(change);
    this.#events += step.steps.length;
    this.#bytes += bytes;
    this.#evict(time);
    return change;
  }

  /** The last change at or before the revision; undefined: older than the window. */
  at(revision: number): Change | undefined {
    if (revision < this.oldest) return undefined;
    let low = this.#head;
    let high = this.#changes.length;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if (this.#changes[middle]!.revision <= revision) low = middle;
      else high = middle;
    }
    return this.#changes[low];
  }

  /** Forgets the past after a reload. Readers still on the old chain are led to the new state. */
  restart(revision: number, snapshot: Snapshot): void {
    const base = baseChange(revision, snapshot);
    this.newest.next = base;
    this.#changes = [base];
    this.#head = 0;
    this.#events = 0;
    this.#bytes = 0;
  }

  #evict(now: number): void {
    // The newest change always stays whole: its watchers are served after it was appended.
    while (this.#changes.length - this.#head > 2 && this.#full(now)) {
      const oldest = this.#changes[this.#head]!;
      const base = this.#changes[this.#head + 1]!;
      // The slot stays until the array is shortened; it must not keep the old state alive.
      this.#changes[this.#head] = base;
      this.#head += 1;
      this.#events -= base.steps.length;
      this.#bytes -= base.bytes;
      dropReaders(oldest);
      base.steps = [];
    }
    // The array is shortened rarely, so that an eviction costs O(1) on average.
    if (this.#head > 64 && this.#head > this.#changes.length >> 1) {
      this.#changes = this.#changes.slice(this.#head);
      this.#head = 0;
    }
  }

  #full(now: number): boolean {
    const limits = this.#limits;
    if (this.#events > limits.eventsMax || this.#bytes > limits.bytesMax) return true;
    const next = this.#changes[this.#head + 1]!;
    return this.#events - next.steps.length >= limits.eventsMin && now - next.time > limits.aimMs;
  }
}

/** Moves a reader along the chain; undefined takes it off. */
export function moveReader(
  reader: ChainReader,
  from: Change | undefined,
  to: Change | undefined,
): void {
  from?.readers?.delete(reader);
  if (to === undefined) return;
  to.readers ??= new Set();
  to.readers.add(reader);
}

/** The objects, and the indexes that do not stand as they did. */
function changedMaps(before: Snapshot, after: Snapshot): number {
  let count = 1;
  after.indexes.forEach((index, i) => {
    if (index !== before.indexes[i]) count += 1;
  });
  return count;
}

function baseChange(revision: number, snapshot: Snapshot): Change {
  return { revision, time: 0, snapshot, steps: [], bytes: 0, next: undefined, readers: undefined };
}

function dropReaders(change: Change): void {
  const { readers } = change;
  change.readers = undefined;
  for (const reader of readers ?? []) reader.fellBehind();
}
