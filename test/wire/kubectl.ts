// A real kubectl of one minor against one server, with a home (discovery cache) of its own.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { kubectlOf } from "../../scripts/fetch-kubectl.ts";

export interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Kubectl {
  /** Runs to the end, whatever the exit code. */
  run(args: readonly string[], input?: string): Promise<Run>;
  /** Stdout of a run that must succeed. */
  ok(args: readonly string[], input?: string): Promise<string>;
  /** Stderr of a run that must fail. */
  fails(args: readonly string[], input?: string): Promise<string>;
  /** Parsed `-o json`. */
  json(args: readonly string[]): Promise<any>;
  /** Starts and does not wait; for -w, wait. */
  start(args: readonly string[]): ChildProcess;
}

export function kubectlFor(minor: string, kubeconfig: string): Kubectl {
  const binary = kubectlOf(minor);
  const home = mkdtempSync(join(tmpdir(), `kubectl-${minor}-`));
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, KUBECONFIG: kubeconfig };
  const start = (args: readonly string[]): ChildProcess => spawn(binary, [...args], { env });
  const run = async (args: readonly string[], input?: string): Promise<Run> => {
    const child = start(args);
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout?.on("data", (chunk: Buffer) => out.push(chunk));
    child.stderr?.on("data", (chunk: Buffer) => err.push(chunk));
    child.stdin?.end(input);
    const [code] = (await once(child, "close")) as [number];
    const text = (chunks: Buffer[]): string => Buffer.concat(chunks).toString();
    return { code, stdout: text(out), stderr: text(err) };
  };
  const ok = async (args: readonly string[], input?: string): Promise<string> => {
    const done = await run(args, input);
    if (done.code !== 0)
      throw new Error(`kubectl ${args.join(" ")} ended with ${done.code}: ${done.stderr}`);
    return done.stdout;
  };
  return {
    run,
    ok,
    start,
    async fails(args, input) {
      const done = await run(args, input);
      if (done.code === 0) throw new Error(`kubectl ${args.join(" ")} succeeded: ${done.stdout}`);
      return done.stderr;
    },
    json: async (args) => JSON.parse(await ok([...args, "-o", "json"])),
  };
}
