// A Host in which nothing happens by itself: time, chance and order come from a seed, words to the operator are kept.
// With the same seed the same code does the same things in the same order, to the last log line.
import type { Digest, Host, Log, LogFields } from "../host.ts";
import { EventClock } from "./event-clock.ts";
import { SeededStream, createSeededRandom, hashText } from "./seeded-random.ts";

export interface LogLine {
  readonly atMs: number;
  readonly level: "info" | "warn" | "error";
  readonly message: string;
  readonly fields: LogFields;
}

export interface SimulatedHost extends Host {
  readonly clock: EventClock;
  /** The newest `linesMax` lines, oldest first. */
  readonly lines: readonly LogLine[];
  /** Makes `text` and the present time a part of the trace. */
  fold(text: string): void;
  /** Of all log lines and all that was folded in, with their times: runs that differ anywhere visible differ here. */
  trace(): string;
}

const linesMax = 10_000;
const startMsUsual = Date.parse("2026-01-01T00:00:00Z");

/** `digest` is a pure function and so may be the real host's. */
export function createSimulatedHost(
  seed: number,
  digest: Digest,
  startMs: number = startMsUsual,
): SimulatedHost {
  const clock = new EventClock(new SeededStream(seed, "host/clock-ties"), startMs);
  const lines: LogLine[] = [];
  let hash = hashText("");
  const at =
    (level: LogLine["level"]) =>
    (message: string, fields: LogFields = {}): void => {
      const line = { atMs: clock.now(), level, message, fields };
      hash = hashText(JSON.stringify(line), hash);
      lines.push(line);
      if (lines.length > linesMax) lines.shift();
    };
  const log: Log = { info: at("info"), warn: at("warn"), error: at("error") };
  return {
    clock,
    random: createSeededRandom(seed),
    log,
    digest,
    lines,
    fold: (text) => void (hash = hashText(`${clock.monotonic()} ${text}`, hash)),
    trace: () => hashText(String(clock.monotonic()), hash).toString(16),
  };
}
