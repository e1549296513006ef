// Room for young garbage. A simulation makes much of it and little that lasts: with twice the usual room fewer objects are
// looked at while they are still in use, and an hour takes a sixth less. V8 takes the size when a process starts, so one
// process starts another.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";

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
  const child = spawn(process.execPath, args, { stdio: ["inherit", "inherit", "inherit", "ipc"] });
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

/** For the other process: a parent that was killed says nothing, but its channel closes. */
export function endWithParent(): void {
  process.once("disconnect", () => process.exit(128 + constants.signals.SIGTERM));
  process.channel?.unref();
}
