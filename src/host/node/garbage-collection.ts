// How V8 clears away young garbage: two cases in which its own choice costs too much.
//
// On small machines it shares a scavenge among threads and waits for the last of them; where clients of the server keep
// the other core busy, that thread does not run, and everybody waits with it. On a busy machine all pauses together were
// three times as long as one thread's (docs/performance.md).
//
// A simulation makes much garbage and little that lasts: with twice the room for the young, fewer are looked at while they
// are still in use, and an hour takes a sixth less. That room is chosen when a process starts, so one starts another.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { availableParallelism, constants } from "node:os";
import { setFlagsFromString } from "node:v8";

const coresMax = 4;

/** Call first: it holds for the whole process. V8 reads this flag before each scavenge. */
export function scavengeAloneOnFewCores(): void {
  if (availableParallelism() <= coresMax) setFlagsFromString("--no-parallel-scavenge");
}

const youngFlag = "--max-semi-space-size";
const youngMiB = 32;

export function hasRoomForTheYoung(): boolean {
  const options = process.env["NODE_OPTIONS"] ?? "";
  return [...process.execArgv, options].some((text) => text.includes(youngFlag));
}

/** The same command again in a process with that room. Resolves when it has ended, with its exit code. */
export async function againWithRoomForTheYoung(): Promise<number> {
  const flags = [`${youngFlag}=${youngMiB}`, `--min-semi-space-size=${youngMiB}`];
  const args = [...process.execArgv, ...flags, ...process.argv.slice(1)];
  const child = spawn(process.execPath, args, { stdio: "inherit" });
  // A terminal tells both of Ctrl-C; the child ends, and so do we.
  const ignore = (): void => undefined;
  const forward = (): void => void child.kill("SIGTERM");
  process.on("SIGINT", ignore).on("SIGTERM", forward);
  try {
    const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
    return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
  } finally {
    process.off("SIGINT", ignore).off("SIGTERM", forward);
  }
}
