// One HTTP exchange as plain data, thin on purpose: the web-standard Request, Response and streams cost more
// per request than our whole GET (docs/performance.md). host/node/http1.ts and http2.ts make these from sockets; clients in the
// same process call a Handler directly; nothing between the two knows Node.

/** Answers every request, also with errors; it never rejects. */
export type Handler = (request: HttpRequest) => Promise<HttpResponse>;

export interface HttpRequest {
  /** Upper case. */
  readonly method: string;
  /** Path and query as sent, e.g. `/api/v1/pods?limit=500`. */
  readonly target: string;
  /** Lower-case names; a repeated header is joined by ", " except where `repeated` keeps it apart. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** All values of a repeated header in order (Impersonate-Group may repeat). */
  repeated(name: string): readonly string[];
  readonly body: RequestBody;
  readonly peer: Peer;
  /** Aborted when the client went away or the server gives the exchange up. Made on first access. */
  readonly signal: ClientSignal;
}

/**
 * The part of an AbortSignal that is used here, so that a server may make something lighter: thousands of requests that wait
 * each hold one, and Node's own weighs more than twice as much.
 */
export interface ClientSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: "abort", listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: "abort", listener: () => void): void;
  throwIfAborted(): void;
}

export interface RequestBody {
  /**
   * The whole body. Rejects with BodyTooLargeError as soon as more than `limitBytes` arrived (or
   * Content-Length promises more) and with BodyAbortedError when the client leaves in the middle.
   */
  read(limitBytes: number): Promise<Uint8Array>;
  /** Of a client in the same process: the text of what `read` gives, as stringifyJson wrote it, so with no key twice. */
  readonly json?: string;
}

export class BodyTooLargeError extends Error {
  override readonly name = "BodyTooLargeError";
}

export class BodyAbortedError extends Error {
  override readonly name = "BodyAbortedError";
}

/** What a client's transport rejects with when no answer came: nobody listens, or the connection broke. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
  /** The request surely never reached the server. */
  readonly refused: boolean;
  constructor(message: string, refused: boolean, cause?: unknown) {
    super(message, { cause });
    this.refused = refused;
  }
}

export interface Peer {
  readonly address: string;
  /** The client certificate, present only when the listener's client CA signed it and it is in date. */
  readonly certificate?: PeerCertificate;
  /** A certificate was shown that the client CA did not sign or that is out of date: why. Such a peer gets 401. */
  readonly certificateRefused?: string;
}

export interface PeerCertificate {
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** Lower-case hex of SHA-256 over the DER. */
  readonly sha256: string;
}

export interface HttpResponse {
  readonly status: number;
  /** Pairs in order; names lower case; names may repeat (Warning). */
  readonly headers: readonly (readonly [string, string])[];
  readonly body: ResponseBody;
  /** The edge compresses with gzip level 1, off the event loop, and sets Content-Encoding and Vary. */
  readonly gzip?: true;
  /** Answers an `Upgrade: websocket` request: the edge shakes hands, `body` must be a BodyStream of frames. */
  readonly webSocket?: WebSocketUpgrade;
  /**
   * Answers an `Upgrade` to this protocol of plain bytes: `body` must be a BodyStream, what it writes leaves as it is, and
   * `BodySink.incoming` gives what comes, cut anywhere.
   */
  readonly bytesProtocol?: string;
}

export interface WebSocketUpgrade {
  readonly subprotocol?: string;
  /** Each chunk that the body stream writes leaves as one frame of this type. */
  readonly frames: "text" | "binary";
  /** The body stream reads what the client sends (`BodySink.incoming`); otherwise that is read and dropped. */
  readonly twoWay?: true;
}

export type ResponseBody = Uint8Array | string | BodyStream | undefined;

/**
 * Writes the body; the edge ends it when the promise resolves and resets the stream when it rejects. Headers leave before
 * it is called, and it is always called, once: also for a client that is gone by then, whose signal is aborted and whose
 * writes reject. What the answer holds (a watch, a place among the requests under way) is let go only by it.
 */
export type BodyStream = (sink: BodySink) => Promise<void>;

export interface BodySink {
  /**
   * Hands a chunk to the transport. Resolves when the transport wants more AND the chunk's memory may be reused
   * (pooled chunks); rejects when the client is gone. At most one write at a time.
   */
  write(chunk: Uint8Array): Promise<void>;
  /** Aborted when the client is gone or the server shuts down. */
  readonly signal: ClientSignal;
  /** What the client sends, on a two-way WebSocket or an upgraded connection. */
  readonly incoming?: FrameSource;
}

export interface FrameSource {
  /**
   * The payload of the next frame, undefined when the client is gone. One call at a time. Frames that wait are bounded:
   * the transport stops reading from the client meanwhile.
   */
  next(): Promise<Uint8Array | undefined>;
}
