// The way to a server for clients that speak HTTP/1.1: a connection for each request under way, kept for the next.
import { Agent as PlainAgent, type IncomingMessage, request as sendPlain } from "node:http";
import { Agent, request as sendSecure } from "node:https";
import { type BodySink, ConnectionError, type HttpRequest, type HttpResponse } from "../http.ts";
import { connectionError, requestPath, sentHeaders } from "./client-exchange.ts";
import type { ServerTransport } from "./https-transport.ts";
import type { ServerCredentials } from "./kubeconfig-credentials.ts";
import type { TlsTrust } from "./tls-trust.ts";

const bodyBytesMax = 64 * 1024 * 1024;
/** Further requests wait for a free connection. */
const socketsMax = 1_000;
/** Watches may be silent; the system notices a peer that is gone. */
const keepAliveMs = 30_000;

/** Without TLS when the server's URL says `http:`. */
export function createHttp1Transport(
  credentials: ServerCredentials,
  trust: TlsTrust,
): ServerTransport {
  const url = new URL(credentials.server);
  const pool = { keepAlive: true, keepAliveMsecs: keepAliveMs, maxSockets: socketsMax };
  const way: Way =
    url.protocol === "http:"
      ? { send: sendPlain, agent: new PlainAgent(pool) }
      : {
          send: sendSecure,
          agent: new Agent({ ...trust, ...pool, ALPNProtocols: ["http/1.1"] }),
        };
  return {
    transport: async (request) => {
      const body = await request.body.read(bodyBytesMax);
      return exchange(request, { ...way, url, body, credentials });
    },
    close: () => way.agent.destroy(),
  };
}

interface Way {
  readonly send: typeof sendPlain;
  readonly agent: PlainAgent;
}

interface Exchange extends Way {
  readonly url: URL;
  readonly body: Uint8Array;
  readonly credentials: ServerCredentials;
}

function exchange(
  request: HttpRequest,
  { send, agent, url, body, credentials }: Exchange,
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const headers = sentHeaders(request, credentials);
    if (body.length > 0) headers["content-length"] = String(body.length);
    const call = send(url, {
      agent,
      method: request.method,
      path: requestPath(url, request.target),
      headers,
    });
    const abort = (): void => void call.destroy(new Error("given up"));
    request.signal.addEventListener("abort", abort, { once: true });
    call.once("close", () => request.signal.removeEventListener("abort", abort));
    call.on("error", (error) => reject(connectionError(error)));
    call.once("response", (response) => {
      resolve({
        status: response.statusCode ?? 500,
        headers: Object.entries(response.headers).flatMap(([name, value]) =>
          value === undefined ? [] : [[name, String(value)] as const],
        ),
        body: (sink) => pump(response, sink),
      });
    });
    if (request.signal.aborted) abort();
    call.end(body);
  });
}

/** Rejects when the connection breaks off or the reader has left. */
async function pump(response: IncomingMessage, sink: BodySink): Promise<void> {
  const abort = (): void => void response.destroy();
  sink.signal.addEventListener("abort", abort, { once: true });
  if (sink.signal.aborted) abort();
  try {
    for await (const chunk of response) await sink.write(chunk as Uint8Array);
    if (!response.complete) throw new ConnectionError("the connection broke off", false);
  } finally {
    sink.signal.removeEventListener("abort", abort);
  }
}
