// What one revision did to one resource, and the watch items that follow from it. Items are made once and shared by all
// watchers, so that an encoder can remember its work by the item's identity.
import type { Matcher } from "./matcher.ts";
import type { WatchItem } from "./resource-cache.ts";
import type { Snapshot } from "./snapshot.ts";
import { atRevision, type StoredObject } from "./stored-object.ts";

/** One object's step. At least one of `previous` and `current` is there. */
export class ObjectChange {
  readonly key: string;
  readonly revision: number;
  readonly previous: StoredObject | undefined;
  readonly current: StoredObject | undefined;
  #added: WatchItem | undefined;
  #modified: WatchItem | undefined;
  #deleted: WatchItem | undefined;

  constructor(
    revision: number,
    key: string,
    step: {
      readonly previous: StoredObject | undefined;
      readonly current: StoredObject | undefined;
    },
  ) {
    this.key = key;
    this.revision = revision;
    this.previous = step.previous;
    this.current = step.current;
  }

  /** What a watcher with this selection sees; undefined: nothing. */
  seenBy(matcher: Matcher): WatchItem | undefined {
    const was = this.previous !== undefined && matcher.matches(this.previous);
    const is = this.current !== undefined && matcher.matches(this.current);
    if (is && was) return (this.#modified ??= { type: "MODIFIED", object: this.current });
    if (is) return (this.#added ??= { type: "ADDED", object: this.current });
    if (!was) return undefined;
    // Leaving the selection looks like deletion, with the last state that matched (k/k #58547, #25151).
    return (this.#deleted ??= {
      type: "DELETED",
      object: atRevision(this.previous, this.revision),
    });
  }
}

/** A link of the window's chain. `next` is set once, when the next change comes. */
export interface Change {
  readonly revision: number;
  /** clock.monotonic ms. */
  readonly time: number;
  /** The state after it. */
  readonly snapshot: Snapshot;
  /** Emptied when the change becomes the oldest state kept, whose steps nobody may ask for any more. */
  steps: readonly ObjectChange[];
  /** What keeping it costs, about. */
  readonly bytes: number;
  next: Change | undefined;
  /** Watchers that have read up to here and not yet beyond. */
  readers: Set<ChainReader> | undefined;
}

export interface ChainReader {
  /** The change it stands on leaves the window: what it has not read is lost. */
  fellBehind(): void;
}
