// When a kubelet gives up the watch of an object, by version, as data and one pure decision. 1.21 brought the recycler
// (kubernetes#99393), and with it that a reflector which had not synced yet counted as idle since ever, so that each pass
// killed all that still waited for the client's rate limit; #104604 (1.23) mended that.

export interface WatchLaw {
  readonly recycles: "nothing" | "idle" | "idle-and-synced";
  readonly recycleEveryMs: number;
  readonly idleMs: number;
  /** When a read makes an object used: only if it was there, or also if it was not. */
  readonly accessCounts: "when-synced" | "at-start";
}

export const watchLaws: Readonly<Record<"1.20" | "1.21" | "1.23", WatchLaw>> = {
  "1.20": {
    recycles: "nothing",
    recycleEveryMs: 60_000,
    idleMs: Infinity,
    accessCounts: "when-synced",
  },
  "1.21": {
    recycles: "idle",
    recycleEveryMs: 60_000,
    idleMs: 300_000,
    accessCounts: "when-synced",
  },
  "1.23": {
    recycles: "idle-and-synced",
    recycleEveryMs: 60_000,
    idleMs: 300_000,
    accessCounts: "at-start",
  },
};

export interface WatchState {
  readonly synced: boolean;
  /** Undefined: never read. */
  readonly lastAccessAt: number | undefined;
}

export function isRecycled(law: WatchLaw, state: WatchState, now: number): boolean {
  if (law.recycles === "nothing") return false;
  if (law.recycles === "idle-and-synced" && !state.synced) return false;
  return now - (state.lastAccessAt ?? -Infinity) > law.idleMs;
}
