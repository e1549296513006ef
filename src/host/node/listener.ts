// One TLS port for HTTP/2 and HTTP/1.1, told apart by ALPN: the only place where sockets become HttpRequests.
// Silent, slow and idle connections are closed here, so that they cost nothing further in.
import { type Server as Http1Server, createServer as createHttp1 } from "node:http";
import {
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
  createServer as createHttp2,
} from "node:http2";
import type { AddressInfo } from "node:net";
import { type TLSSocket, type Server as TlsServer, createServer as createTls } from "node:tls";
import type { Handler } from "../http.ts";
import type { Log } from "../host.ts";
import type { ConnectionLimits } from "./connection-limits.ts";
import { Connections } from "./connections.ts";
import { FairArrivals } from "./fair-arrivals.ts";
import { serveHttp1 } from "./http1.ts";
import { serveHttp2 } from "./http2.ts";
import { listenerFigures } from "./listener-figures.ts";
import type { ProcessFigure } from "./process-figures.ts";
import { Outbox } from "./outbox.ts";
import { SessionWatch } from "./session-watch.ts";
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
  readonly limits: ConnectionLimits;
}

export interface Listener {
  readonly port: number;
  /** What the guards at the door see and did, for /metrics. */
  readonly figures: readonly ProcessFigure[];
  /** Open TCP connections. */
  connections(): number;
  /** Takes no new connections, lets exchanges under way finish for `graceMs`, then cuts what is left. */
  close(graceMs: number): Promise<void>;
}

export class PortTakenError extends Error {
  override readonly name = "PortTakenError";
}

const backlog = 4096;

export async function listen(options: ListenerOptions, handler: Handler): Promise<Listener> {
  const { limits } = options;
  const arrivals = new FairArrivals();
  const connections = new Connections(limits);
  const outbox = new Outbox(limits.takeMs, () => connections.count("answerNotTaken"));
  const sessions = new SessionWatch(limits, connections, outbox);
  const http1 = createHttp1Server(limits, arrivals, handler);
  const http2 = createHttp2Server(limits, sessions);
  http2.on("stream", onStream(handler, arrivals, outbox));
  const tls = createTlsServer(options);
  connections.guard(tls);
  tls.on("secureConnection", (socket) =>
    (socket.alpnProtocol === "h2" ? http2 : http1).emit("connection", socket),
  );
  const port = await bind(tls, options);
  // Without a socket of its own, node:http starts its slow-client checks only when told that it listens.
  http1.emit("listening");
  return {
    port,
    figures: listenerFigures({ connections, sessions, arrivals }),
    connections: () => connections.open.size,
    close(graceMs) {
      sessions.stop();
      http1.closeIdleConnections();
      for (const session of sessions.sessions) session.close();
      // Sockets that never spoke are known to nobody else.
      for (const socket of connections.open) if (socket.bytesRead === 0) socket.destroy();
      return closeServer(tls, connections.open, graceMs).finally(() => http1.close());
    },
  };
}

function createHttp1Server(
  limits: ConnectionLimits,
  arrivals: FairArrivals,
  handler: Handler,
): Http1Server {
  const server = createHttp1({
    maxHeaderSize: limits.headerBytesMax,
    headersTimeout: limits.headersMs,
    requestTimeout: limits.bodyMs,
    keepAliveTimeout: limits.idleMs,
    connectionsCheckingInterval: Math.min(5_000, limits.headersMs / 2),
  });
  server.on("request", (request, response) => {
    const { socket } = request;
    const charging = arrivals.charging(socket, handler);
    arrivals.admit(socket, () => void serveHttp1(charging, request, response));
  });
  server.on("upgrade", (request, socket, head) => {
    void upgradeHttp1(handler, request, { socket, head });
  });
  return server;
}

function createHttp2Server(limits: ConnectionLimits, sessions: SessionWatch): Http2Server {
  const server = createHttp2({
    settings: { maxConcurrentStreams: limits.streamsMax, maxHeaderListSize: limits.headerBytesMax },
    maxSessionMemory: limits.sessionMegabytesMax,
  });
  server.on("session", (session) => sessions.add(session));
  return server;
}

/** The event carries the raw headers as a fourth argument, which Node's types leave out. */
function onStream(handler: Handler, arrivals: FairArrivals, outbox: Outbox) {
  return (
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    _flags: number,
    rawHeaders: readonly string[] = [],
  ): void => {
    const { session } = stream;
    // Also one that is reset while it waits for its turn must not end the process.
    stream.on("error", closeStream);
    if (session === undefined) return;
    arrivals.admit(session, () => {
      if (stream.destroyed) return;
      const charging = arrivals.charging(session, handler);
      void serveHttp2(charging, stream, { headers, rawHeaders, outbox });
    });
  };
}

function closeStream(this: ServerHttp2Stream): void {
  this.close();
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
    handshakeTimeout: options.limits.handshakeMs,
    minVersion: "TLSv1.2",
  });
  server.on("secureConnection", (socket) => {
    socket.on("error", () => socket.destroy());
    // Every exchange under way listens for its end, and HTTP/1 clients may send many requests ahead.
    socket.setMaxListeners(0);
    socket.setNoDelay(true);
  });
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
