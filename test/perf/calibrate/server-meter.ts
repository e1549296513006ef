// What the server says of itself: CPU and memory from /metrics, as every Kubernetes API server tells them.
import { setTimeout as pause } from "node:timers/promises";
import type { LoadClient } from "../load-client.ts";

export interface Reading {
  readonly cpuSeconds: number;
  readonly residentBytes: number;
}

const idleMs = 3_000;

export class ServerMeter {
  readonly #client: LoadClient;
  /** What it uses when nobody asks anything: not ours to pay. */
  #idleShare = 0;

  constructor(client: LoadClient) {
    this.#client = client;
  }

  async read(): Promise<Reading> {
    const { body } = await this.#client.expect(200, "GET", "/metrics", {
      accept: "text/plain",
      keep: true,
    });
    const text = body.toString();
    return {
      cpuSeconds: figure(text, "process_cpu_seconds_total"),
      residentBytes: figure(text, "process_resident_memory_bytes"),
    };
  }

  async learnIdle(): Promise<void> {
    const began = performance.now();
    const before = await this.read();
    await pause(idleMs);
    const after = await this.read();
    const seconds = (performance.now() - began) / 1_000;
    this.#idleShare = (after.cpuSeconds - before.cpuSeconds) / seconds;
  }

  /** CPU milliseconds that `work` cost the server. */
  async cpuMsOf<Result>(work: () => Promise<Result>): Promise<{ cpuMs: number; result: Result }> {
    const began = performance.now();
    const before = await this.read();
    const result = await work();
    const after = await this.read();
    const idle = (performance.now() - began) * this.#idleShare;
    return { cpuMs: Math.max(0, (after.cpuSeconds - before.cpuSeconds) * 1_000 - idle), result };
  }
}

function figure(text: string, name: string): number {
  const value = new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1];
  if (value === undefined) throw new Error(`the server's /metrics does not tell ${name}`);
  return Number(value);
}
