// `wavetank up` as a process of its own, on a free port, in a folder of its own.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export const bin = fileURLToPath(new URL("../../dist/wavetank.js", import.meta.url));

export interface ServerOptions {
  /** Default: a fresh temporary folder, removed at the end. */
  readonly dataDir?: string;
  /** More flags; default `--memory`. */
  readonly flags?: readonly string[];
  /** Default 0: any free port. */
  readonly port?: number;
  /** Simulated nodes; with them the controllers and the scheduler run. Default: the API server alone. */
  readonly nodes?: number;
  /** Flags of Node itself, as --cpu-prof. */
  readonly nodeFlags?: readonly string[];
  /** Largest file the process may write, in blocks of 512 bytes: a disk that fills up. */
  readonly fileBlocksMax?: number;
}

export interface Server {
  readonly url: string;
  readonly kubeconfig: string;
  readonly dataDir: string;
  readonly pid: number;
  /** All that the process wrote on stderr so far. */
  stderr(): string;
  /** Sends the signal and resolves with the exit code (null when the signal killed it). */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

export async function startServer(options: ServerOptions = {}): Promise<Server> {
  const own = options.dataDir === undefined;
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), "wavetank-"));
  const flags = options.flags ?? ["--memory"];
  const limit = options.fileBlocksMax ?? "unlimited";
  const cluster = options.nodes === undefined ? "--no-controllers" : `--nodes=${options.nodes}`;
  const port = `--port=${options.port ?? 0}`;
  const node = ["node", ...(options.nodeFlags ?? []), bin];
  const up = [...node, "up", port, cluster, "--data-dir", dataDir, "-o", "json", ...flags];
  const child = spawn("sh", ["-c", `ulimit -f ${limit}; exec "$@"`, "sh", ...up], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said: string[] = [];
  child.stderr.on("data", (chunk: Buffer) => said.push(chunk.toString()));
  const summary = await firstLine(child, said);
  return {
    url: summary.url,
    kubeconfig: summary.kubeconfig,
    dataDir,
    pid: summary.pid,
    stderr: () => said.join(""),
    async stop(signal = "SIGTERM") {
      const exited =
        child.exitCode === null && child.signalCode === null
          ? once(child, "exit")
          : Promise.resolve([child.exitCode]);
      child.kill(signal);
      const [code] = await exited;
      if (own) rmSync(dataDir, { recursive: true, force: true });
      return code as number | null;
    },
  };
}

interface Summary {
  readonly url: string;
  readonly kubeconfig: string;
  readonly pid: number;
}

function firstLine(child: ChildProcess, said: readonly string[]): Promise<Summary> {
  return new Promise((resolve, reject) => {
    if (child.stdout === null) return reject(new Error("stdout is not piped"));
    createInterface({ input: child.stdout }).once("line", (line) =>
      resolve(JSON.parse(line) as Summary),
    );
    child.once("exit", (code) =>
      reject(new Error(`the server ended with ${code}: ${said.join("")}`)),
    );
  });
}
