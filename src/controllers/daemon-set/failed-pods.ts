// How long the failed pod of a node is left alone before it is replaced: longer each time, so that a daemon that cannot
// run on a node is not made anew without end (upstream: failedPodsBackoff of the DaemonSet controller).
import type { Clock } from "../../host/host.ts";
import { BoundedMap } from "../../std/bounded-map.ts";

const initialMs = 1_000;
const maxMs = 15 * 60_000;
/** A node that was quiet for so long starts over. */
const forgetMs = 2 * maxMs;
const nodesMax = 20_000;

interface Wait {
  readonly delayMs: number;
  readonly until: number;
}

export class FailedPods {
  readonly #clock: Clock;
  readonly #waits = new BoundedMap<Wait>(nodesMax);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Milliseconds until `key` may be replaced; 0 starts the next, longer wait. */
  waitMs(key: string): number {
    const now = this.#clock.monotonic();
    const last = this.#waits.get(key);
    if (last !== undefined && last.until > now) return last.until - now;
    const isFresh = last === undefined || now - last.until > forgetMs;
    const delayMs = isFresh ? initialMs : Math.min(maxMs, last.delayMs * 2);
    this.#waits.set(key, { delayMs, until: now + delayMs });
    return 0;
  }
}
