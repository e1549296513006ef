// Turns of the event loop that many long works share: each turn lets one of them go on, however many wait, so that others
// wait for one slice of work and not for one of each.
import type { Clock } from "../host/host.ts";

/** The clock, but for `turn`, which is first come, first served among all who have this one. */
export function sharedTurns(clock: Clock): Clock {
  let last: Promise<void> = Promise.resolve();
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    after: (ms, fn) => clock.after(ms, fn),
    turn() {
      last = last.then(() => clock.turn());
      return last;
    },
  };
}
