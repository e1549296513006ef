// How many watches may be open, in all and of one user, and how fast a user may open them. A watch costs memory for hours
// and is over for flow control as soon as its first events are out, so nothing else bounds them. Pure: time is handed in.
import type { Cancel } from "../host/host.ts";
import { BoundedMap } from "../std/bounded-map.ts";

/** 0: no limit. */
export interface WatchLimits {
  readonly watchesMax: number;
  readonly watchesPerUserMax: number;
  readonly startsPerSecond: number;
  /** What a user who has opened none for a while may open at once. */
  readonly startsBurst: number;
}

export const watchLimitDefaults: WatchLimits = {
  watchesMax: 100_000,
  watchesPerUserMax: 20_000,
  startsPerSecond: 500,
  startsBurst: 10_000,
};

export type WatchRefusal = "total" | "user" | "rate";
export type WatchPlace =
  | { readonly kind: "Open"; readonly leave: Cancel }
  | { readonly kind: "Refused"; readonly by: WatchRefusal; readonly retryAfterSeconds: number };

interface Bucket {
  tokens: number;
  at: number;
}

/** Users whose rate is remembered; whoever is forgotten has a full burst again. */
const usersMax = 10_000;
/** Until a watch of one's own may have ended. */
const fullRetrySeconds = 10;

export class WatchBudget {
  readonly refused: Record<WatchRefusal, number> = { total: 0, user: 0, rate: 0 };
  readonly #limits: WatchLimits;
  /** Of users who have any. */
  readonly #open = new Map<string, number>();
  readonly #buckets = new BoundedMap<Bucket>(usersMax);
  #total = 0;

  constructor(limits: WatchLimits) {
    this.#limits = limits;
  }

  get open(): number {
    return this.#total;
  }

  enter(user: string, nowMs: number): WatchPlace {
    const { watchesMax, watchesPerUserMax } = this.#limits;
    if (watchesMax > 0 && this.#total >= watchesMax) return this.#refuse("total", fullRetrySeconds);
    const own = this.#open.get(user) ?? 0;
    if (watchesPerUserMax > 0 && own >= watchesPerUserMax)
      return this.#refuse("user", fullRetrySeconds);
    const waitMs = this.#take(user, nowMs);
    if (waitMs > 0) return this.#refuse("rate", Math.max(1, Math.ceil(waitMs / 1_000)));
    this.#total += 1;
    this.#open.set(user, own + 1);
    return { kind: "Open", leave: this.#leaveOnce(user) };
  }

  #leaveOnce(user: string): Cancel {
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.#total -= 1;
      const open = (this.#open.get(user) ?? 1) - 1;
      if (open === 0) this.#open.delete(user);
      else this.#open.set(user, open);
    };
  }

  /** Takes a start out of the user's bucket. 0, or in how many ms there will be one. */
  #take(user: string, nowMs: number): number {
    const { startsPerSecond: rate, startsBurst } = this.#limits;
    if (rate === 0) return 0;
    const known = this.#buckets.get(user) ?? { tokens: startsBurst, at: nowMs };
    const tokens = Math.min(startsBurst, known.tokens + ((nowMs - known.at) / 1_000) * rate);
    const taken = tokens >= 1;
    this.#buckets.set(user, { tokens: taken ? tokens - 1 : tokens, at: nowMs });
    return taken ? 0 : ((1 - tokens) / rate) * 1_000;
  }

  #refuse(by: WatchRefusal, retryAfterSeconds: number): WatchPlace {
    this.refused[by] += 1;
    return { kind: "Refused", by, retryAfterSeconds };
  }
}
