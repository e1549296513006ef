// What connections may cost, as data: how many, how long they may be silent, how much one may hold (docs/guards.md).

export interface ConnectionLimits {
  /** Open connections in all; the next one is refused. */
  readonly connectionsMax: number;
  /** Of one address. All clients behind a proxy have one, and so have all on this machine. */
  readonly connectionsPerPeerMax: number;
  /** Connections whose handshake is under way; one more, and the oldest of them is cut. */
  readonly handshakesMax: number;
  /** Upstream: 32 s, as for headers. Ours runs while a busy loop has no time for them, so it must not be short. */
  readonly handshakeMs: number;
  /** An HTTP/1.1 request's headers must be in by then. */
  readonly headersMs: number;
  /** An HTTP/1.1 request's body too. HTTP/2 bodies have the request's own deadline. */
  readonly bodyMs: number;
  /** A connection on which nothing is under way is closed after this (upstream: 90 s), also one that pings. */
  readonly idleMs: number;
  /** An answer that is complete must have been taken by then. */
  readonly takeMs: number;
  /** HTTP/2 streams of a connection, watches among them. Upstream: 250, since 1.29 100. */
  readonly streamsMax: number;
  readonly headerBytesMax: number;
  /** What one HTTP/2 connection may make us hold: headers, bodies that are not read yet, answers that are not taken. */
  readonly sessionMegabytesMax: number;
}

export const connectionLimitDefaults: ConnectionLimits = {
  connectionsMax: 10_000,
  connectionsPerPeerMax: 5_000,
  handshakesMax: 2_000,
  handshakeMs: 32_000,
  headersMs: 32_000,
  bodyMs: 60_000,
  idleMs: 90_000,
  takeMs: 60_000,
  streamsMax: 100,
  headerBytesMax: 65_536,
  sessionMegabytesMax: 32,
};
