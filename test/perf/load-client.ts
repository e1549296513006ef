// The load generator's side of HTTP/2: a few connections from a kubeconfig, each with many streams.
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from "node:http2";
import type { ServerCredentials } from "../../src/host/node/kubeconfig-credentials.ts";

export interface Answer {
  readonly status: number;
  /** Bytes of the body. */
  readonly size: number;
  /** The body, when `keep` was asked for or the answer is an error. */
  readonly body: Buffer;
  readonly ms: number;
}

export interface SendOptions {
  readonly body?: string;
  readonly accept?: string;
  /** Give the body back instead of only counting it. */
  readonly keep?: boolean;
}

export class LoadClient {
  readonly #target: ServerCredentials;
  #session: ClientHttp2Session;
  readonly #authorization: string | undefined;

  constructor(target: ServerCredentials) {
    this.#authorization = target.token === undefined ? undefined : `Bearer ${target.token}`;
    this.#target = target;
    this.#session = connectTo(target);
  }

  send(method: string, path: string, options: SendOptions = {}): Promise<Answer> {
    const began = performance.now();
    return new Promise((settle, reject) => {
      const stream = this.open(method, path, options.accept);
      const chunks: Buffer[] = [];
      let status = 0;
      let size = 0;
      stream.on("response", (headers) => (status = Number(headers[":status"])));
      stream.on("data", (chunk: Buffer) => {
        size += chunk.byteLength;
        if (options.keep === true || status >= 400) chunks.push(chunk);
      });
      stream.on("error", reject);
      stream.on("end", () =>
        settle({ status, size, body: Buffer.concat(chunks), ms: performance.now() - began }),
      );
      stream.end(options.body);
    });
  }

  /** As `send`; rejects, with what the server said, unless it answers `status`. */
  async expect(
    status: number,
    method: string,
    path: string,
    options: SendOptions = {},
  ): Promise<Answer> {
    const answer = await this.send(method, path, options);
    if (answer.status === status) return answer;
    throw new Error(`${method} ${path} answered ${answer.status} ${answer.body.toString()}`);
  }

  open(method: string, path: string, accept = "application/json"): ClientHttp2Stream {
    const writes = method === "POST" || method === "PUT" || method === "PATCH";
    // A server closes connections that nobody used for some time.
    if (this.#session.closed || this.#session.destroyed) this.#session = connectTo(this.#target);
    const contentType = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    return this.#session.request(
      {
        ":method": method,
        ":path": path,
        accept,
        ...(writes ? { "content-type": contentType } : {}),
        ...(this.#authorization === undefined ? {} : { authorization: this.#authorization }),
      },
      { endStream: !writes },
    );
  }

  close(): void {
    this.#session.destroy();
  }
}

function connectTo(target: ServerCredentials): ClientHttp2Session {
  const session = connect(target.server, {
    ca: target.ca,
    cert: target.certificate,
    key: target.key,
    rejectUnauthorized: !target.insecure,
    settings: { initialWindowSize: 4 * 1024 * 1024 },
  });
  // The window of a Go client: lists are not held back by the reader's default 64 KiB.
  session.once("connect", () => session.setLocalWindowSize(16 * 1024 * 1024));
  session.setMaxListeners(0);
  return session;
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
