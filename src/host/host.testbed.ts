// The Host of unit tests: the simulated one, whose time moves when the test says so, except that whoever asks for a later
// turn gets it at once, so that a test may simply await what it calls.
import type { Host } from "./host.ts";
import { drainPromises } from "./node/drain-promises.ts";
import { createNodeHost } from "./node/node-host.ts";
import { Driver } from "./simulated/driver.ts";
import { createSimulatedHost } from "./simulated/simulated-host.ts";

export interface TestHost extends Host {
  /** Lets `ms` pass: fires what is due in order, and lets all promises between settle. */
  advance(ms: number): Promise<void>;
  /** Timers that are set and neither fired nor cancelled. */
  readonly timers: number;
  /** Messages so far, without their fields. */
  readonly logged: string[];
}

const { digest } = createNodeHost("silent", () => {});

/** `startMs`: the wall clock at the start, ms since 1970; 2026-01-01 unless told. */
export function createTestHost(startMs?: number): TestHost {
  const { clock, random, log, lines } = createSimulatedHost(1, digest, startMs);
  const driver = new Driver(clock, drainPromises);
  const timers = new Set<object>();
  return {
    clock: {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      after(ms, fn) {
        const timer = {};
        timers.add(timer);
        const cancel = clock.after(ms, () => {
          timers.delete(timer);
          fn();
        });
        return () => {
          timers.delete(timer);
          cancel();
        };
      },
      turn: () => Promise.resolve(),
    },
    random,
    log,
    digest,
    advance: (ms) => driver.advance(ms),
    get timers() {
      return timers.size;
    },
    get logged() {
      return lines.map(({ message }) => message);
    },
  };
}

/** Lets every promise that can go on do so. */
export const settle: () => Promise<void> = drainPromises;
