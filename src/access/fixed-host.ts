// A Host that stands still, for the tests of access: time moves when the test says so, chance counts up, words vanish.
import type { Host } from "../host/host.ts";

export interface FixedHost extends Host {
  /** Moves the wall clock and fires what is due. */
  advance(ms: number): void;
}

/** `nowMs`: the wall clock at the start, ms since 1970. */
export function createFixedHost(nowMs: number): FixedHost {
  let now = nowMs;
  let drawn = 0;
  const timers = new Set<{ at: number; fn: () => void }>();
  const quiet = (): void => {};
  const empty = (): Uint8Array => new Uint8Array(32);
  return {
    clock: {
      now: () => now,
      monotonic: () => now,
      after(ms, fn) {
        const timer = { at: now + ms, fn };
        timers.add(timer);
        return () => timers.delete(timer);
      },
      turn: () => Promise.resolve(),
    },
    random: {
      stream: () => ({
        unit: () => 0,
        below: (limit) => drawn++ % limit,
        bytes: (count) => Uint8Array.from({ length: count }, () => drawn++ % 256),
      }),
    },
    log: { info: quiet, warn: quiet, error: quiet },
    digest: { sha256: empty, sha512: empty },
    advance(ms) {
      now += ms;
      for (const timer of timers) {
        if (timer.at > now) continue;
        timers.delete(timer);
        timer.fn();
      }
    },
  };
}
