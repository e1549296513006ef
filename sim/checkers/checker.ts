// What a checker is: it sees every committed change as it comes, and says what must never be; at the end, when faults have
// stopped and everything has come to rest, it says what must not be left.
import type { StoredChange, StoredState } from "../stored-state.ts";

export interface Checker {
  readonly name: string;
  /** Complaints about one change. `state` has it in it. */
  see(change: StoredChange, state: StoredState): readonly string[];
  /** Complaints about how it all came to rest. */
  atEnd(state: StoredState): readonly string[];
}

/** A fresh one for each run: checkers remember. */
export type MakeChecker = () => Checker;
