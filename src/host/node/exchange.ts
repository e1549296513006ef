// What HTTP/1.1 and HTTP/2 exchanges share: the body reader, the peer's identity, the gzip edge.
import type { EventEmitter } from "node:events";
import type { Readable } from "node:stream";
import type { TLSSocket } from "node:tls";
import { type Gzip, constants, createGzip, gzip } from "node:zlib";
import { promisify } from "node:util";
import {
  BodyAbortedError,
  type BodySink,
  type BodyStream,
  BodyTooLargeError,
  type ClientSignal,
  type HttpResponse,
  type Peer,
  type RequestBody,
} from "../http.ts";
import { CloseSignal, clientGone } from "./close-signal.ts";
import { encodeUtf8 } from "../../std/utf8.ts";

const gzipOnce = promisify(gzip);
const gzipOptions = { level: constants.Z_BEST_SPEED };

export const noBody: RequestBody = { read: () => Promise.resolve(new Uint8Array(0)) };

/** Reads `stream` to its end into one array, refusing as early as possible. */
export function bodyOf(stream: Readable, contentLength: string | undefined): RequestBody {
  return {
    read(limitBytes) {
      if (contentLength !== undefined && Number(contentLength) > limitBytes)
        return Promise.reject(new BodyTooLargeError(contentLength));
      return readAll(stream, limitBytes);
    },
  };
}

function readAll(stream: Readable, limitBytes: number): Promise<Uint8Array> {
  // Whoever left before the body was asked for will never say so again.
  if (stream.destroyed) return Promise.reject(new BodyAbortedError("closed"));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let whole = false;
    // Every stream closes in the end: an error object is made only for those that close too early.
    const aborted = (why: string, cause?: unknown): void => {
      if (!whole) reject(new BodyAbortedError(why, { cause }));
    };
    stream.on("data", (chunk: Buffer) => {
      size += chunk.byteLength;
      if (size > limitBytes) {
        stream.pause();
        stream.removeAllListeners("data");
        reject(new BodyTooLargeError(`${size}`));
        return;
      }
      chunks.push(chunk);
    });
    stream.once("end", () => {
      whole = true;
      resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks));
    });
    stream.once("error", (cause) => aborted("error", cause));
    stream.once("aborted", () => aborted("aborted"));
    stream.once("close", () => aborted("closed"));
  });
}

const peers = new WeakMap<TLSSocket, Peer>();

/** The same answer for every request of one connection, so it is worked out once. */
export function peerOf(socket: TLSSocket): Peer {
  const known = peers.get(socket);
  if (known) return known;
  const peer = describePeer(socket);
  peers.set(socket, peer);
  return peer;
}

function describePeer(socket: TLSSocket): Peer {
  const address = socket.remoteAddress ?? "";
  const certificate = socket.getPeerX509Certificate?.();
  if (certificate === undefined) return { address };
  if (!socket.authorized) return { address, certificateRefused: String(socket.authorizationError) };
  const subject = socket.getPeerCertificate().subject as unknown as Record<
    string,
    string | string[] | undefined
  >;
  const all = (word: string): string[] => [subject[word] ?? []].flat();
  return {
    address,
    certificate: {
      commonName: all("CN").at(-1) ?? "",
      organizations: all("O"),
      sha256: certificate.fingerprint256.replaceAll(":", "").toLowerCase(),
    },
  };
}

/** Aborted when one of `closing` closes. */
export function abortOnClose(closing: readonly EventEmitter[], closed: boolean): ClientSignal {
  return closed ? gone : new CloseSignal(closing);
}

type Write = (chunk: Uint8Array, done: (error?: Error | null) => void) => void;

/** Transports forget the callbacks of writes to closed sockets, so the signal ends a write too. */
export function sinkOf(signal: ClientSignal, write: Write): BodySink {
  let refuse: (() => void) | undefined;
  signal.addEventListener("abort", () => refuse?.(), { once: true });
  return {
    signal,
    write: (chunk) =>
      new Promise((resolve, reject) => {
        refuse = () => reject(clientGone);
        if (signal.aborted) refuse();
        else write(chunk, (error) => (error ? reject(error) : resolve()));
      }),
  };
}

const gone = CloseSignal.aborted();

/** A streamed body frees what it holds when it runs, so it must run also when the client left before it could. */
export async function runForNobody({ body }: HttpResponse): Promise<void> {
  if (typeof body !== "function") return;
  const refuse = (): Promise<void> => Promise.reject(clientGone);
  await body({ signal: gone, write: refuse }).catch(() => undefined);
}

export function bytesOf(body: Uint8Array | string): Uint8Array {
  return typeof body === "string" ? encodeUtf8(body) : body;
}

export function compressed(body: Uint8Array | string): Promise<Uint8Array> {
  return gzipOnce(body, gzipOptions);
}

/** Runs `body` through gzip into `target`; compression happens on the thread pool, with back-pressure both ways. */
export async function streamCompressed(body: BodyStream, target: BodySink): Promise<void> {
  const zip = createGzip(gzipOptions);
  const pumped = pump(zip, target);
  try {
    await body({ signal: target.signal, write: (chunk) => writeTo(zip, chunk) });
    zip.end();
    await pumped;
  } catch (error) {
    zip.destroy();
    await pumped.catch(() => undefined);
    throw error;
  }
}

function writeTo(zip: Gzip, chunk: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    zip.write(chunk, (error) => (error ? reject(error) : resolve()));
  });
}

async function pump(zip: Gzip, target: BodySink): Promise<void> {
  try {
    for await (const chunk of zip) await target.write(chunk as Uint8Array);
  } catch (error) {
    zip.destroy(error instanceof Error ? error : undefined);
    throw error;
  }
}
