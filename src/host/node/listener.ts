// One TLS port for HTTP/2 and HTTP/1.1, told apart by ALPN: the only place where sockets become HttpRequests.
// Silent, slow and idle connections are closed here, so that they cost nothing further in.
import { type Server as Http1Server, createServer as createHttp1 } from "node:http";
import {
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
  createServer as createHttp2,
} from "node:http2";
import type { AddressInfo } from "node:net";
import { type TLSSocket, type Server as TlsServer, createServer as createTls } from "node:tls";
import type { Handler } from "../http.ts";
import type { Log } from "../host.ts";
import { serveHttp1 } from "./http1.ts";
import { serveHttp2 } from "./http2.ts";
import { upgradeHttp1 } from "./web-socket.ts";

export interface ListenerOptions {
  /** 0 picks a free port. */
  readonly port: number;
  readonly address: string;
  /** PEM. Client certificates signed by `clientCa` identify users; others are refused at authentication. */
  readonly certificate: string;
  readonly key: string;
  readonly clientCa: string;
  readonly log: Log;
}

export interface Listener {
  readonly port: number;
  /** Open TCP connections. */
  connections(): number;
  /** Takes no new connections, lets exchanges under way finish for `graceMs`, then cuts what is left. */
  close(graceMs: number): Promise<void>;
}

export class PortTakenError extends Error {
  override readonly name = "PortTakenError";
}

const limits = {
  handshakeMs: 10_000,
  /** An HTTP/1.1 request's headers must be in by then. */
  headersMs: 10_000,
  /** An HTTP/1.1 request's body too. */
  requestMs: 60_000,
  /** Connections with nothing under way are closed after this (kube-apiserver: 90 s). */
  idleMs: 90_000,
  connectionsMax: 50_000,
  /** Upstream: --http2-max-streams-per-connection. */
  streamsMax: 1000,
  headerBytesMax: 65_536,
  /** Memory that one HTTP/2 session may hold for its streams' headers and queued data. */
  sessionMegabytesMax: 64,
};

const backlog = 4096;

export async function listen(options: ListenerOptions, handler: Handler): Promise<Listener> {
  const http1 = createHttp1Server(handler);
  const http2 = createHttp2Server(handler);
  const tls = createTlsServer(options);
  const sockets = new Set<TLSSocket>();
  tls.on("secureConnection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    (socket.alpnProtocol === "h2" ? http2.server : http1).emit("connection", socket);
  });
  const port = await bind(tls, options);
  // Without a socket of its own, node:http starts its slow-client checks only when told that it listens.
  http1.emit("listening");
  return {
    port,
    connections: () => sockets.size,
    close(graceMs) {
      http1.closeIdleConnections();
      for (const session of http2.sessions) session.close();
      // Sockets that never spoke are known to nobody else.
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
      return closeServer(tls, sockets, graceMs).finally(() => http1.close());
    },
  };
}

function createHttp1Server(handler: Handler): Http1Server {
  const server = createHttp1({
    maxHeaderSize: limits.headerBytesMax,
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.idleMs,
    connectionsCheckingInterval: 5_000,
  });
  server.on("request", (request, response) => void serveHttp1(handler, request, response));
  server.on("upgrade", (request, socket, head) => {
    void upgradeHttp1(handler, request, { socket, head });
  });
  return server;
}

function createHttp2Server(handler: Handler): {
  server: Http2Server;
  sessions: ReadonlySet<ServerHttp2Session>;
} {
  const sessions = new Set<ServerHttp2Session>();
  const server = createHttp2({
    settings: { maxConcurrentStreams: limits.streamsMax, maxHeaderListSize: limits.headerBytesMax },
    maxSessionMemory: limits.sessionMegabytesMax,
  });
  server.on("session", (session) => {
    sessions.add(session);
    session.once("close", () => sessions.delete(session));
    session.on("error", () => session.destroy());
    closeWhenIdle(session);
  });
  server.on("stream", onStream(handler));
  return { server, sessions };
}

/** The event carries the raw headers as a fourth argument, which Node's types leave out. */
function onStream(handler: Handler) {
  return (
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    _flags: number,
    rawHeaders: readonly string[] = [],
  ): void => void serveHttp2(handler, stream, { headers, rawHeaders });
}

function createTlsServer(options: ListenerOptions): TlsServer {
  const server = createTls({
    cert: options.certificate,
    key: options.key,
    ca: options.clientCa,
    requestCert: true,
    // Bad client certificates must reach authentication, which answers 401 as Kubernetes does.
    rejectUnauthorized: false,
    ALPNProtocols: ["h2", "http/1.1"],
    handshakeTimeout: limits.handshakeMs,
    minVersion: "TLSv1.2",
  });
  server.maxConnections = limits.connectionsMax;
  server.on("secureConnection", (socket) => {
    socket.on("error", () => socket.destroy());
    // Every exchange under way listens for its end, and HTTP/1 clients may send many requests ahead.
    socket.setMaxListeners(0);
    socket.setNoDelay(true);
  });
  server.on("tlsClientError", (_error, socket) => socket.destroy());
  return server;
}

function bind(server: TlsServer, options: ListenerOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(error.code === "EADDRINUSE" ? new PortTakenError(error.message) : error),
    );
    server.listen(options.port, options.address, backlog, () => {
      server.removeAllListeners("error");
      server.on("error", (error) => options.log.error("listener failed", { error: error.message }));
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function closeServer(
  server: TlsServer,
  sockets: ReadonlySet<TLSSocket>,
  graceMs: number,
): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => {
      for (const socket of sockets) socket.destroy();
    }, graceMs);
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
  });
}

function closeWhenIdle(session: ServerHttp2Session): void {
  session.setTimeout(limits.idleMs, () => {
    // Streams that wait (watches) keep the session: only an empty one is idle.
    if (openStreams.get(session) === undefined) session.close();
  });
  session.on("stream", (stream) => {
    openStreams.set(session, (openStreams.get(session) ?? 0) + 1);
    stream.once("close", () => {
      const left = (openStreams.get(session) ?? 1) - 1;
      if (left === 0) openStreams.delete(session);
      else openStreams.set(session, left);
    });
  });
}

const openStreams = new WeakMap<ServerHttp2Session, number>();
