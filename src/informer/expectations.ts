// What a controller has set going and not seen yet: until the informer has caught up with its own creates and deletes, a
// sync would count wrong and do them again. They lapse, so that a lost event blocks nobody for ever (upstream:
// pkg/controller/controller_utils.go, UIDTrackingControllerExpectations).
import type { Clock } from "../host/host.ts";

export interface Expected {
  /** How many new objects. */
  readonly creations?: number;
  /** UIDs that go; a UID may be observed twice (marked, then gone) and counts once. */
  readonly deletions?: readonly string[];
}

interface Outstanding {
  creations: number;
  readonly deletions: Set<string>;
  readonly since: number;
}

export const expectationsLapseMs: number = 5 * 60_000;

export class Expectations {
  readonly #clock: Clock;
  readonly #outstanding = new Map<string, Outstanding>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Replaces what `key` expected before. Call it before the writes: their events may be faster than their answers. */
  expect(key: string, { creations = 0, deletions = [] }: Expected): void {
    const since = this.#clock.monotonic();
    this.#outstanding.set(key, { creations, deletions: new Set(deletions), since });
  }

  /** Also for a create that failed and will bring no event. */
  creationObserved(key: string): void {
    const entry = this.#outstanding.get(key);
    if (entry !== undefined) entry.creations -= 1;
  }

  /** Also for a delete that failed. */
  deletionObserved(key: string, uid: string): void {
    this.#outstanding.get(key)?.deletions.delete(uid);
  }

  /** Whether a sync may count what its lister holds. */
  satisfied(key: string): boolean {
    const entry = this.#outstanding.get(key);
    if (entry === undefined) return true;
    if (entry.creations <= 0 && entry.deletions.size === 0) return true;
    return this.#clock.monotonic() - entry.since > expectationsLapseMs;
  }

  /** The object behind `key` is gone. */
  forget(key: string): void {
    this.#outstanding.delete(key);
  }
}
