// The load generator's side of HTTP/2: a few connections from a kubeconfig, each with many streams.
import { readFileSync } from "node:fs";
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from "node:http2";
import { parse } from "yaml";

export interface Target {
  readonly url: string;
  readonly ca: Buffer;
  readonly cert: Buffer;
  readonly key: Buffer;
}

interface Kubeconfig {
  readonly clusters: readonly {
    readonly cluster: { readonly server: string; readonly "certificate-authority-data": string };
  }[];
  readonly users: readonly {
    readonly user: {
      readonly "client-certificate-data": string;
      readonly "client-key-data": string;
    };
  }[];
}

/** Reads the first cluster and user of a kubeconfig with embedded data. */
export function readTarget(kubeconfig: string): Target {
  const config = parse(readFileSync(kubeconfig, "utf8")) as Kubeconfig;
  const [cluster, user] = [config.clusters[0]?.cluster, config.users[0]?.user];
  if (!cluster || !user) throw new Error(`${kubeconfig} names no cluster or no user`);
  const bytes = (text: string): Buffer => Buffer.from(text, "base64");
  return {
    url: cluster.server,
    ca: bytes(cluster["certificate-authority-data"]),
    cert: bytes(user["client-certificate-data"]),
    key: bytes(user["client-key-data"]),
  };
}

export interface Answer {
  readonly status: number;
  /** Bytes of the body. */
  readonly size: number;
  /** The body, when `keep` was asked for. */
  readonly body: Buffer;
  readonly ms: number;
}

export class LoadClient {
  readonly session: ClientHttp2Session;

  constructor(target: Target) {
    this.session = connect(target.url, {
      ca: target.ca,
      cert: target.cert,
      key: target.key,
      settings: { initialWindowSize: 4 * 1024 * 1024 },
    });
    // The window of a Go client: lists are not held back by the reader's default 64 KiB.
    this.session.once("connect", () => this.session.setLocalWindowSize(16 * 1024 * 1024));
    this.session.setMaxListeners(0);
  }

  send(method: string, path: string, body?: string, keep = false): Promise<Answer> {
    const began = performance.now();
    return new Promise((resolve, reject) => {
      const stream = this.open(method, path);
      const chunks: Buffer[] = [];
      let status = 0;
      let size = 0;
      stream.on("response", (headers) => (status = Number(headers[":status"])));
      stream.on("data", (chunk: Buffer) => {
        size += chunk.byteLength;
        if (keep) chunks.push(chunk);
      });
      stream.on("error", reject);
      stream.on("end", () =>
        resolve({ status, size, body: Buffer.concat(chunks), ms: performance.now() - began }),
      );
      stream.end(body);
    });
  }

  open(method: string, path: string): ClientHttp2Stream {
    const body = method === "POST" || method === "PUT" || method === "PATCH";
    return this.session.request(
      {
        ":method": method,
        ":path": path,
        accept: "application/json",
        ...(body
          ? {
              "content-type":
                method === "PATCH" ? "application/merge-patch+json" : "application/json",
            }
          : {}),
      },
      { endStream: !body },
    );
  }

  close(): void {
    this.session.destroy();
  }
}

/** Runs `count` jobs, `width` at a time; gives each job's ms. */
export async function inParallel(
  count: number,
  width: number,
  job: (index: number) => Promise<void>,
): Promise<number[]> {
  const times: number[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) {
      const began = performance.now();
      await job(index);
      times.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
  return times;
}

export function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
}
