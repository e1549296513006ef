// The server's end of a SPDY/3.1 connection, over whatever carries its bytes: an upgraded socket or the binary messages of a
// WebSocket. The client opens streams; each is bytes both ways until both sides have ended it.
import type { ClientSignal, BodySink } from "../../host/http.ts";
import { ByteQueue } from "../streams/byte-queue.ts";
import { type Frame, FrameReader, FrameWriter, goAwayStatus, resetStatus } from "./frames.ts";
import type { Headers } from "./header-block.ts";
import { SpdyError } from "./spdy-error.ts";

/** Open at once on one connection. */
const streamsMax = 1_000;
/** What one stream's reader has not read yet; then the client is not read either. */
const waitingBytesMax = 1_048_576;
const pieceBytesMax = 32_768;
const nothing = new Uint8Array(0);

export interface SpdyStream {
  readonly id: number;
  readonly headers: Headers;
  /** What the client sends next, undefined at its end. One call at a time. */
  next(): Promise<Uint8Array | undefined>;
  /** Resolves when more may come; rejects when the client is gone. What comes after `close` is dropped. */
  write(bytes: Uint8Array): Promise<void>;
  /** Nothing more will be written. */
  close(): Promise<void>;
  /** Gives the stream up. */
  reset(): Promise<void>;
  /** What the client sends is dropped from now on, so that it holds up nobody. */
  ignore(): void;
  /** Aborted when the client gives the stream up, and at the end of the connection. */
  readonly signal: AbortSignal;
}

/** Resolves when the client is gone or broke the protocol; every stream has ended then. */
export async function serveSpdy(
  sink: BodySink,
  onStream: (stream: SpdyStream) => void,
): Promise<void> {
  await new Session(sink, onStream).serve();
}

class Session {
  readonly #sink: BodySink;
  readonly #onStream: (stream: SpdyStream) => void;
  readonly #streams = new Map<number, Stream>();
  readonly #writer = new FrameWriter();
  #lastId = 0;
  #written: Promise<void> = Promise.resolve();

  constructor(sink: BodySink, onStream: (stream: SpdyStream) => void) {
    this.#sink = sink;
    this.#onStream = onStream;
  }

  async serve(): Promise<void> {
    const { signal, incoming } = this.#sink;
    const reader = new FrameReader();
    const end = (): void => this.#endAll();
    signal.addEventListener("abort", end, { once: true });
    try {
      while (!signal.aborted) {
        const piece = await nextOrEnd(incoming?.next(), signal);
        if (piece === undefined) return;
        for (const frame of reader.read(piece)) await this.#take(frame);
      }
    } catch (error) {
      if (!(error instanceof SpdyError)) throw error;
      await this.#send({ is: "go away", last: this.#lastId, status: goAwayStatus.protocolError });
    } finally {
      signal.removeEventListener("abort", end);
      end();
    }
  }

  async #take(frame: Frame): Promise<void> {
    switch (frame.is) {
      case "open":
        return this.#open(frame);
      case "data": {
        const stream = this.#streams.get(frame.id);
        await stream?.receive(frame.bytes);
        if (frame.fin) stream?.receiveEnd();
        return;
      }
      case "reset":
        this.#streams.get(frame.id)?.end();
        return;
      case "ping":
        // Even ones would be answers to ours.
        return frame.id % 2 === 1 ? this.#send(frame) : undefined;
      default:
    }
  }

  async #open({ id, fin, headers }: Extract<Frame, { is: "open" }>): Promise<void> {
    if (id % 2 === 0 || id <= this.#lastId)
      return this.#send({ is: "reset", id, status: resetStatus.protocolError });
    this.#lastId = id;
    if (this.#streams.size >= streamsMax)
      return this.#send({ is: "reset", id, status: resetStatus.refusedStream });
    const stream = new Stream(id, headers, {
      send: (frame) => this.#send(frame),
      forget: () => void this.#streams.delete(id),
    });
    this.#streams.set(id, stream);
    if (fin) stream.receiveEnd();
    await this.#send({ is: "reply", id, fin: false, headers: new Map() });
    this.#onStream(stream);
  }

  /** Streams write when they like; a sink takes one chunk after the other, and header blocks keep their order. */
  #send(frame: Frame): Promise<void> {
    const sent = this.#written.then(() => this.#sink.write(this.#writer.write(frame)));
    this.#written = sent;
    return sent;
  }

  #endAll(): void {
    for (const stream of this.#streams.values()) stream.end();
    // Whoever waited for the last write has seen how it ended.
    this.#written.catch(() => undefined);
  }
}

interface Ground {
  readonly send: (frame: Frame) => Promise<void>;
  readonly forget: () => void;
}

class Stream implements SpdyStream {
  readonly id: number;
  readonly headers: Headers;
  readonly #ground: Ground;
  readonly #received = new ByteQueue(waitingBytesMax);
  readonly #ending = new AbortController();
  #ignored = false;
  #ended = { here: false, there: false };

  constructor(id: number, headers: Headers, ground: Ground) {
    this.id = id;
    this.headers = headers;
    this.#ground = ground;
  }

  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  next(): Promise<Uint8Array | undefined> {
    return this.#received.next();
  }

  async write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length && !this.#ended.here; at += pieceBytesMax) {
      const piece = bytes.subarray(at, at + pieceBytesMax);
      await this.#ground.send({ is: "data", id: this.id, fin: false, bytes: piece });
    }
  }

  async close(): Promise<void> {
    if (this.#ended.here) return;
    this.#ended.here = true;
    this.#forgetIfOver();
    await this.#ground.send({ is: "data", id: this.id, fin: true, bytes: nothing });
  }

  async reset(): Promise<void> {
    this.end();
    await this.#ground.send({ is: "reset", id: this.id, status: resetStatus.protocolError });
  }

  ignore(): void {
    this.#ignored = true;
    this.#received.end();
  }

  /* ---- for the session ---- */

  async receive(bytes: Uint8Array): Promise<void> {
    if (!this.#ignored) await this.#received.push(bytes);
  }

  receiveEnd(): void {
    this.#ended.there = true;
    this.#received.end();
    this.#forgetIfOver();
  }

  end(): void {
    this.#ended = { here: true, there: true };
    this.#received.end();
    this.#ending.abort();
    this.#ground.forget();
  }

  #forgetIfOver(): void {
    if (this.#ended.here && this.#ended.there) this.#ground.forget();
  }
}

/** The transport may never say another word once the server gives the exchange up. */
function nextOrEnd(
  next: Promise<Uint8Array | undefined> | undefined,
  signal: ClientSignal,
): Promise<Uint8Array | undefined> {
  if (next === undefined || signal.aborted) return Promise.resolve(undefined);
  return new Promise((resolve, reject) => {
    const leave = (): void => resolve(undefined);
    signal.addEventListener("abort", leave, { once: true });
    next.then(resolve, reject).finally(() => signal.removeEventListener("abort", leave));
  });
}
