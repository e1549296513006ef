// The way to a server in another process: HTTP/2 over TLS. One connection carries all calls until the server's limit of
// streams is reached, then another is opened; a connection that dies ends its calls and the next call makes a new one.
import { once } from "node:events";
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type IncomingHttpHeaders,
  type IncomingHttpStatusHeader,
  type OutgoingHttpHeaders,
  connect,
  constants,
} from "node:http2";
import {
  type BodySink,
  ConnectionError,
  type Handler,
  type HttpRequest,
  type HttpResponse,
} from "../http.ts";
import { connectionError, requestPath, sentHeaders } from "./client-exchange.ts";
import type { ServerCredentials } from "./kubeconfig-credentials.ts";
import { type TlsTrust, tlsTrust } from "./tls-trust.ts";

export interface ServerTransport {
  /** Rejects with ConnectionError. The request's peer plays no part: the connection proves who we are. */
  readonly transport: Handler;
  /** Breaks what is under way. */
  close(): void;
}

/** A server that does not say how many streams it allows is taken to allow this many. */
const streamsUsual = 100;
/** Answers a call within so long, or shows that it is alive when pinged. Upstream's clients: 30 s and 15 s. */
const silentMsMax = 30_000;
const pingMsMax = 15_000;
const bodyBytesMax = 64 * 1024 * 1024;
/** What Go's clients let a server send ahead, for a stream and for all of a connection. */
const streamWindowBytes = 4 * 1024 * 1024;
const connectionWindowBytes = 1024 * 1024 * 1024;

interface Connection {
  readonly session: ClientHttp2Session;
  /** Rejects with ConnectionError. */
  readonly ready: Promise<void>;
  streams: number;
}

/** `trust`: shared by transports to the same server, because making it costs more than a connection. */
export function createHttpsTransport(
  credentials: ServerCredentials,
  trust: TlsTrust = tlsTrust(credentials),
): ServerTransport {
  const connections = new Set<Connection>();
  const url = new URL(credentials.server);
  const pick = (): Connection => {
    for (const connection of connections) if (hasRoom(connection)) return connection;
    const connection = openConnection(trust, url);
    connections.add(connection);
    connection.session.once("close", () => connections.delete(connection));
    return connection;
  };
  const transport: Handler = async (request) => {
    const body = await request.body.read(bodyBytesMax);
    const connection = pick();
    connection.streams++;
    try {
      await connection.ready;
    } catch (error) {
      connection.streams--;
      throw error;
    }
    try {
      const stream = openStream(connection, headersOf(request, credentials, url), body);
      return await answerOf(stream, request);
    } catch (error) {
      throw error instanceof ConnectionError ? error : connectionError(error as Error);
    }
  };
  return {
    transport,
    close() {
      for (const { session } of connections) session.destroy();
    },
  };
}

function hasRoom({ session, streams }: Connection): boolean {
  const limit = session.remoteSettings?.maxConcurrentStreams ?? streamsUsual;
  return !session.closed && !session.destroyed && streams < limit;
}

function openConnection(trust: TlsTrust, url: URL): Connection {
  const session = connect(url.origin, {
    ...trust,
    settings: { initialWindowSize: streamWindowBytes, enablePush: false },
  });
  const ready = new Promise<void>((resolve, reject) => {
    session.once("connect", () => {
      // One that was given up meanwhile still tells that it is connected.
      if (!session.destroyed) session.setLocalWindowSize(connectionWindowBytes);
      resolve();
    });
    session.on("error", (error) => reject(connectionError(error)));
    session.once("close", () => reject(new ConnectionError("the connection was closed", false)));
  });
  // Whoever waits for it hears of it; nobody else needs to.
  ready.catch(() => undefined);
  session.on("goaway", () => session.close());
  keepAlive(session);
  return { session, ready, streams: 0 };
}

function openStream(
  connection: Connection,
  headers: OutgoingHttpHeaders,
  body: Uint8Array,
): ClientHttp2Stream {
  const stream = connection.session.request(headers, { endStream: body.length === 0 });
  stream.once("close", () => connection.streams--);
  if (body.length > 0) stream.end(body);
  return stream;
}

/** Watches may be silent for minutes; a connection whose other end is gone must not look like that. */
function keepAlive(session: ClientHttp2Session): void {
  session.setTimeout(silentMsMax, () => {
    if (session.closed || session.destroyed) return;
    const timer = setTimeout(() => session.destroy(new Error("ping timed out")), pingMsMax);
    timer.unref();
    session.ping(() => clearTimeout(timer));
  });
}

function headersOf(
  request: HttpRequest,
  credentials: ServerCredentials,
  url: URL,
): OutgoingHttpHeaders {
  return {
    [constants.HTTP2_HEADER_METHOD]: request.method,
    [constants.HTTP2_HEADER_PATH]: requestPath(url, request.target),
    ...sentHeaders(request, credentials),
  };
}

/** Resolves with the head; the body is read by whoever calls the response's body. */
function answerOf(stream: ClientHttp2Stream, request: HttpRequest): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const abort = (): void => stream.close(constants.NGHTTP2_CANCEL);
    request.signal.addEventListener("abort", abort, { once: true });
    if (request.signal.aborted) abort();
    stream.once("close", () => {
      request.signal.removeEventListener("abort", abort);
      reject(new ConnectionError("the connection was lost before an answer", false));
    });
    stream.on("error", (error) => reject(connectionError(error)));
    stream.once("response", (headers: IncomingHttpHeaders & IncomingHttpStatusHeader) => {
      stream.pause();
      resolve({
        status: headers[":status"] ?? 500,
        headers: Object.entries(headers).flatMap(([name, value]) =>
          value === undefined || name.startsWith(":") ? [] : [[name, String(value)] as const],
        ),
        body: (sink) => pump(stream, sink),
      });
    });
  });
}

/** Rejects when the stream breaks off or the reader has left. */
async function pump(stream: ClientHttp2Stream, sink: BodySink): Promise<void> {
  const abort = (): void => stream.close(constants.NGHTTP2_CANCEL);
  sink.signal.addEventListener("abort", abort, { once: true });
  if (sink.signal.aborted) abort();
  try {
    for await (const chunk of stream) await sink.write(chunk as Uint8Array);
    // A reset may follow what looks like the end.
    if (!stream.closed) await once(stream, "close");
    if (stream.rstCode !== constants.NGHTTP2_NO_ERROR)
      throw new ConnectionError("the stream was reset", false);
  } finally {
    sink.signal.removeEventListener("abort", abort);
  }
}
