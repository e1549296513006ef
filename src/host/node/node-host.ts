// The real Host: system clock, strong randomness, structured lines on stderr.
import { createHash, randomBytes, randomInt } from "node:crypto";
import { performance } from "node:perf_hooks";
import type { Cancel, Clock, Digest, Host, Log, LogFields, RandomStream } from "../host.ts";
import { fairTurn } from "./fair-turns.ts";

export type LogLevel = "info" | "warn" | "error" | "silent";

/** `write` receives whole lines without the newline. */
export function createNodeHost(level: LogLevel, write: (line: string) => void): Host {
  return { clock, random: { stream: () => strongStream }, log: createLog(level, write), digest };
}

/** Node's timers count no further: what is longer they take for 1 ms. */
const timerMsMax = 0x7fff_ffff;

function after(ms: number, fn: () => void): Cancel {
  if (ms > timerMsMax) return afterLong(ms, fn);
  const timer = setTimeout(fn, ms);
  timer.unref();
  return () => clearTimeout(timer);
}

function afterLong(ms: number, fn: () => void): Cancel {
  let cancel = after(timerMsMax, () => (cancel = after(ms - timerMsMax, fn)));
  return () => cancel();
}

const clock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after,
  turn: fairTurn,
};

/** Bytes are drawn in blocks: one system call serves some 250 UIDs. */
const blockBytes = 4096;
let block = randomBytes(blockBytes);
let used = 0;

const strongStream: RandomStream = {
  unit: () => randomInt(0x1_0000_0000) / 0x1_0000_0000,
  below: (limit) => randomInt(limit),
  bytes(count) {
    if (count > blockBytes) return randomBytes(count);
    if (used + count > blockBytes) {
      block = randomBytes(blockBytes);
      used = 0;
    }
    const bytes = block.subarray(used, used + count);
    used += count;
    return bytes;
  },
};

const digest: Digest = {
  sha256: (bytes) => createHash("sha256").update(bytes).digest(),
  sha512: (bytes) => createHash("sha512").update(bytes).digest(),
};

const levels: readonly LogLevel[] = ["info", "warn", "error", "silent"];

function createLog(level: LogLevel, write: (line: string) => void): Log {
  const threshold = levels.indexOf(level);
  const at =
    (own: LogLevel) =>
    (message: string, fields: LogFields = {}): void => {
      if (levels.indexOf(own) < threshold) return;
      write(formatLine(own, message, fields));
    };
  return { info: at("info"), warn: at("warn"), error: at("error") };
}

function formatLine(level: LogLevel, message: string, fields: LogFields): string {
  const pairs = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}=${typeof value === "string" ? JSON.stringify(value) : value}`);
  return `${new Date(Date.now()).toISOString()} ${level} ${message}${pairs.join("")}`;
}
