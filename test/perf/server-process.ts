// The server under measurement: a process of its own, watched through /proc. With --kubeconfig the server is somebody
// else's and only what the client sees can be told.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";

const ticksPerSecond = Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));

/** User and system CPU seconds of all threads so far. */
export function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

export interface Cost<Result> {
  readonly result: Result;
  /** Of the server, user and system; undefined when it is not ours. */
  readonly cpuSeconds: number | undefined;
}

/** What the server spent while `work` ran. */
export async function costOf<Result>(
  pid: number | undefined,
  work: () => Promise<Result>,
): Promise<Cost<Result>> {
  const before = pid === undefined ? 0 : cpuSeconds(pid);
  const result = await work();
  return { result, cpuSeconds: pid === undefined ? undefined : cpuSeconds(pid) - before };
}

interface Memory {
  /** Bytes. */
  readonly rss: number;
  /** Without mapped files (LMDB's pages belong to the page cache). */
  readonly anonymous: number;
  readonly peak: number;
}

export function memoryOf(pid: number): Memory {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const field = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1] ?? Number.NaN) * 1024;
  return { rss: field("VmRSS"), anonymous: field("RssAnon"), peak: field("VmHWM") };
}

/** Starts the peak (VmHWM) anew from the present. */
export function resetPeak(pid: number): void {
  const path = `/proc/${pid}/clear_refs`;
  if (existsSync(path)) writeFileSync(path, "5");
}
