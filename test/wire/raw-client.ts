// Requests below any client library: exact headers, exact bytes, broken connections.
import { type Agent, request } from "node:https";
import { type TLSSocket, connect } from "node:tls";
import { readKubeconfig } from "../../src/host/node/kubeconfig-credentials.ts";

export interface Identity {
  readonly host: string;
  readonly port: number;
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
}

export function identityOf(kubeconfig: string): Identity {
  const { server, ca, certificate, key } = readKubeconfig(kubeconfig);
  const url = new URL(server);
  return { host: url.hostname, port: Number(url.port), ca, cert: certificate, key };
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly bytes: Buffer;
  readonly text: string;
  /** Parsed body of a JSON answer. */
  readonly json: any;
}

export interface RawAsk {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
  /** Leave the client certificate out. */
  readonly anonymous?: boolean;
  /** Keeps connections; default: one connection an ask. */
  readonly agent?: Agent;
}

export function ask(identity: Identity, path: string, options: RawAsk = {}): Promise<RawAnswer> {
  const { cert, key, ...server } = identity;
  return new Promise((resolve, reject) => {
    const sent = request({
      ...server,
      ...(options.anonymous ? {} : { cert, key }),
      agent: options.agent ?? false,
      path,
      method: options.method ?? (options.body === undefined ? "GET" : "POST"),
      headers: {
        ...(options.body === undefined ? {} : { "content-type": "application/json" }),
        ...options.headers,
      },
    });
    sent.on("error", reject);
    sent.on("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const bytes = Buffer.concat(chunks);
        const text = bytes.toString();
        const isJson = String(response.headers["content-type"]).includes("json");
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          bytes,
          text,
          json: isJson && text.startsWith("{") ? JSON.parse(text) : undefined,
        });
      });
    });
    sent.end(options.body);
  });
}

/** A TLS connection that has spoken to nobody yet. */
export function dial(identity: Identity, alpn = "http/1.1"): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ ...identity, ALPNProtocols: [alpn] }, () => resolve(socket));
    socket.on("error", reject);
  });
}
