// HTTP/2 through the core stream API (the compat classes cost 15-70 % more on small requests, docs/performance.md).
import { type IncomingHttpHeaders, type ServerHttp2Stream, constants } from "node:http2";
import type { TLSSocket } from "node:tls";
import type {
  BodySink,
  ClientSignal,
  Handler,
  HttpRequest,
  HttpResponse,
  Peer,
  RequestBody,
} from "../http.ts";
import type { Outbox } from "./outbox.ts";
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

interface RequestHead {
  readonly headers: IncomingHttpHeaders;
  /** Name, value, name, value ... as they came. */
  readonly rawHeaders: readonly string[];
  /** Told what was sent and what was taken. */
  readonly outbox: Outbox;
}

/** Errors of the stream are its listener's. */
export function serveHttp2(
  handler: Handler,
  stream: ServerHttp2Stream,
  head: RequestHead,
): Promise<void> {
  // What waits for the answer must not hold `head`: many requests wait for long.
  return answer(handler, new Http2Request(stream, head), { stream, outbox: head.outbox });
}

interface Exit {
  readonly stream: ServerHttp2Stream;
  readonly outbox: Outbox;
}

async function answer(handler: Handler, request: HttpRequest, exit: Exit): Promise<void> {
  const response = await handler(request);
  const { stream } = exit;
  if (!stream.readableEnded) await dropUnreadBody(stream, request);
  if (stream.destroyed || stream.closed) return runForNobody(response);
  try {
    await respond(exit, request, response);
  } catch {
    // close() would end the stream first, and half an answer would look like a whole one.
    stream.destroy(new Error("the body broke off"));
  }
}

class Http2Request implements HttpRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: RequestBody;
  readonly peer: Peer;
  readonly #stream: ServerHttp2Stream;
  /** Undefined: no name comes twice. Then `headers` says it all, and a request that waits holds them once. */
  readonly #rawHeaders: readonly string[] | undefined;
  #signal: ClientSignal | undefined;

  constructor(stream: ServerHttp2Stream, { headers, rawHeaders }: RequestHead) {
    this.#stream = stream;
    this.method = headers[":method"] as string;
    // CONNECT has none.
    this.target = headers[":path"] ?? "";
    // Node joins repeats of all but a few headers by ", " already; set-cookie, the one array, never comes in. Its object is
    // a hash table of a kilobyte; a copy has the shape that all requests of a client share.
    this.headers = { ...headers } as Record<string, string | undefined>;
    if (Object.keys(headers).length * 2 < rawHeaders.length) this.#rawHeaders = rawHeaders;
    this.body = stream.readableEnded ? noBody : bodyOf(stream, headers["content-length"]);
    this.peer = peerOf(stream.session?.socket as TLSSocket);
  }

  repeated(name: string): readonly string[] {
    const raw = this.#rawHeaders;
    if (raw === undefined) {
      const value = this.headers[name];
      return value === undefined ? [] : [value];
    }
    return raw.filter((_value, index) => index % 2 === 1 && raw[index - 1] === name);
  }

  get signal(): ClientSignal {
    this.#signal ??= abortOnClose([this.#stream], this.#stream.destroyed);
    return this.#signal;
  }
}

async function respond(
  { stream, outbox }: Exit,
  request: HttpRequest,
  response: HttpResponse,
): Promise<void> {
  const { body } = response;
  const headOnly = request.method === "HEAD";
  const headers = headersOf(response);
  if (headOnly || body === undefined) {
    stream.respond(headers, { endStream: true });
    closeUnread(stream);
    return headOnly ? runForNobody(response) : undefined;
  }
  if (typeof body === "function") {
    stream.respond(headers);
    const sink = streamSink(outbox, stream, request.signal);
    await (response.gzip ? streamCompressed(body, sink) : body(sink));
    stream.end();
  } else {
    const bytes = response.gzip ? await compressed(body) : bytesOf(body);
    headers["content-length"] = `${bytes.byteLength}`;
    stream.respond(headers);
    if (bytes.byteLength > sliceBytes)
      await writeInSlices(streamSink(outbox, stream, request.signal), stream, bytes);
    else endWith(outbox, stream, bytes);
  }
  closeUnread(stream);
}

/** What a stream hands to its session at once: the session's memory is shared by all streams of a connection. */
const sliceBytes = 65_536;

function endWith(outbox: Outbox, stream: ServerHttp2Stream, bytes: Uint8Array): void {
  outbox.sent(stream);
  stream.once("close", () => outbox.taken(stream));
  stream.end(bytes);
}

function streamSink(outbox: Outbox, stream: ServerHttp2Stream, signal: ClientSignal): BodySink {
  return sinkOf(signal, (chunk, done) => {
    outbox.sent(stream);
    stream.write(chunk, (error) => {
      outbox.taken(stream);
      done(error);
    });
  });
}

async function writeInSlices(
  sink: BodySink,
  stream: ServerHttp2Stream,
  bytes: Uint8Array,
): Promise<void> {
  for (let at = 0; at < bytes.byteLength; at += sliceBytes)
    await sink.write(bytes.subarray(at, at + sliceBytes));
  stream.end();
}

/** How long a client may go on sending a body that is not wanted any more. */
const lingerMs = 500;

/**
 * An answer before the whole body came (401, 413, 429) waits a little for the rest, which is dropped. Otherwise the stream is
 * over for the client with its last piece, and its next request stands in the same packet: Node still counts the old stream
 * then, and a client that uses all its streams is told ENHANCE_YOUR_CALM.
 */
function dropUnreadBody(stream: ServerHttp2Stream, { headers }: HttpRequest): Promise<void> {
  stream.resume();
  // Who asks first whether the body is wanted sends none meanwhile.
  if (headers["expect"] !== undefined) return Promise.resolve();
  return new Promise((resolve) => {
    const enough = setTimeout(resolve, lingerMs);
    stream.once("end", resolve);
    stream.once("close", () => {
      clearTimeout(enough);
      resolve();
    });
  });
}

/** A body that has no end by now: the stream goes without it. */
function closeUnread(stream: ServerHttp2Stream): void {
  if (stream.readableEnded) return;
  stream.once("finish", () => {
    if (stream.readableEnded) return;
    const cut = setTimeout(() => stream.close(constants.NGHTTP2_NO_ERROR), lingerMs).unref();
    stream.once("close", () => clearTimeout(cut));
  });
}

function headersOf(response: HttpResponse): Record<string, string | string[] | number> {
  const headers: Record<string, string | string[] | number> = { ":status": response.status };
  for (const [name, value] of response.headers) {
    const before = headers[name];
    if (before === undefined) headers[name] = value;
    else headers[name] = Array.isArray(before) ? [...before, value] : [String(before), value];
  }
  if (response.gzip) {
    headers["content-encoding"] = "gzip";
    const { vary } = headers;
    headers["vary"] = vary === undefined ? "Accept-Encoding" : `${String(vary)}, Accept-Encoding`;
  }
  return headers;
}
