// A real etcd for tests: Debian's `etcd` (package etcd-server) or the one that ETCD_BINARY names, on free ports of
// loopback, with its data in a temporary folder.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Etcd {
  readonly url: string;
  /** Kills the process as kill -9 does; the data stays. */
  kill(): Promise<void>;
  /** Starts it again at the same address on the same data. */
  start(): Promise<void>;
  /** Removes the data of the killed etcd: it will start as another, empty one. */
  wipe(): void;
  /** Ends it and removes its data. */
  remove(): Promise<void>;
}

export interface EtcdOptions {
  /** `http`, or `https` with the PEM files given as further arguments. */
  readonly scheme?: "http" | "https";
  readonly arguments?: readonly string[];
}

const binary = process.env["ETCD_BINARY"] ?? "etcd";
const outputMax = 20_000;

/** Resolves when it serves. Rejects, with what etcd said, when it cannot be started. */
export async function startEtcd(options: EtcdOptions = {}): Promise<Etcd> {
  const folder = mkdtempSync(join(tmpdir(), "wavetank-etcd-"));
  const [clientPort, peerPort] = await freePorts(2);
  const url = `${options.scheme ?? "http"}://127.0.0.1:${clientPort}`;
  const peer = `http://127.0.0.1:${peerPort}`;
  let child: ChildProcess | undefined;
  const etcd: Etcd = {
    url,
    async start() {
      child = await spawnEtcd([
        "--name=test",
        `--data-dir=${join(folder, "data")}`,
        `--listen-client-urls=${url}`,
        `--advertise-client-urls=${url}`,
        `--listen-peer-urls=${peer}`,
        `--initial-advertise-peer-urls=${peer}`,
        `--initial-cluster=test=${peer}`,
        // One member elects itself: soon, and short leases are possible.
        "--heartbeat-interval=10",
        "--election-timeout=100",
        ...(options.arguments ?? []),
      ]);
    },
    async kill() {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
    },
    wipe() {
      rmSync(join(folder, "data"), { recursive: true, force: true });
    },
    async remove() {
      await etcd.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  try {
    await etcd.start();
  } catch (error) {
    await etcd.remove();
    throw error;
  }
  return etcd;
}

function spawnEtcd(options: readonly string[]): Promise<ChildProcess> {
  const child = spawn(binary, options, { stdio: ["ignore", "pipe", "pipe"] });
  return new Promise((resolve, reject) => {
    let output = "";
    const read = (chunk: Buffer): void => {
      output = (output + chunk.toString()).slice(-outputMax);
      // 3.4 and newer word it so, in plain and in JSON lines.
      if (/ready to serve client requests|serving client traffic/i.test(output)) resolve(child);
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.on("error", (cause) =>
      reject(new Error(`etcd cannot be started; install Debian's etcd-server`, { cause })),
    );
    child.on("exit", (code) => reject(new Error(`etcd ended with ${code}:\n${output}`)));
  });
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => once(server, "listening")));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), "close")));
  return ports;
}
