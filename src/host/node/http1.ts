// HTTP/1.1 through node:http.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { TLSSocket } from "node:tls";
import type {
  ClientSignal,
  Handler,
  HttpRequest,
  HttpResponse,
  Peer,
  RequestBody,
} from "../http.ts";
import {
  abortOnClose,
  bodyOf,
  bytesOf,
  compressed,
  noBody,
  peerOf,
  runForNobody,
  sinkOf,
  streamCompressed,
} from "./exchange.ts";

/** How long a refused upload may go on before the connection is cut. */
const lingerMs = 500;

export async function serveHttp1(
  handler: Handler,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  response.on("error", () => response.destroy());
  await answerHttp1(request, response, await handler(new Http1Request(request, [response])));
}

/** Writes the answer; a client that is gone gets nothing, but a streamed body runs all the same. */
export async function answerHttp1(
  request: IncomingMessage,
  response: ServerResponse,
  answer: HttpResponse,
): Promise<void> {
  if (response.destroyed || request.socket.destroyed) return runForNobody(answer);
  try {
    await respond(request, response, answer);
  } catch {
    response.destroy();
  }
}

export class Http1Request implements HttpRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: RequestBody;
  readonly peer: Peer;
  readonly #request: IncomingMessage;
  /** What closes, besides the socket, when nobody waits for the answer any more. */
  readonly #closing: readonly NodeJS.EventEmitter[];
  #signal: ClientSignal | undefined;

  constructor(request: IncomingMessage, closing: readonly NodeJS.EventEmitter[]) {
    this.#request = request;
    this.#closing = closing;
    this.method = request.method ?? "GET";
    this.target = request.url ?? "/";
    this.headers = request.headers as Record<string, string | undefined>;
    const hasBody =
      request.headers["content-length"] !== undefined ||
      request.headers["transfer-encoding"] !== undefined;
    this.body = hasBody ? bodyOf(request, request.headers["content-length"]) : noBody;
    this.peer = peerOf(request.socket as TLSSocket);
  }

  repeated(name: string): readonly string[] {
    return this.#request.headersDistinct[name] ?? [];
  }

  get signal(): ClientSignal {
    const { socket } = this.#request;
    this.#signal ??= abortOnClose([...this.#closing, socket], socket.destroyed);
    return this.#signal;
  }
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  answer: HttpResponse,
): Promise<void> {
  const { body } = answer;
  response.statusCode = answer.status;
  for (const [name, value] of answer.headers) response.appendHeader(name, value);
  if (answer.gzip) {
    response.setHeader("content-encoding", "gzip");
    response.appendHeader("vary", "Accept-Encoding");
  }
  if (!request.complete) cutUnreadBody(request, response);
  if (body === undefined || request.method === "HEAD") {
    response.end();
    await runForNobody(answer);
  } else if (typeof body === "function") {
    response.flushHeaders();
    const signal = abortOnClose([response, request.socket], request.socket.destroyed);
    const sink = sinkOf(signal, (chunk, done) => response.write(chunk, done));
    await (answer.gzip ? streamCompressed(body, sink) : body(sink));
    response.end();
  } else {
    const bytes = answer.gzip ? await compressed(body) : bytesOf(body);
    response.setHeader("content-length", bytes.byteLength);
    response.end(bytes);
  }
}

/** An answer before the whole body came (413): the rest is not worth reading, so the connection goes. */
function cutUnreadBody(request: IncomingMessage, response: ServerResponse): void {
  response.setHeader("connection", "close");
  response.once("finish", () => {
    request.resume();
    setTimeout(() => request.socket.destroy(), lingerMs).unref();
  });
}
