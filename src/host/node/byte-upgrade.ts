// An HTTP/1.1 connection that goes on as plain bytes of another protocol (SPDY/3.1). Nothing is read from the socket that
// nobody asked for, so a handler that is busy holds the client back.
import { STATUS_CODES } from "node:http";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { FrameSource, HttpResponse } from "../http.ts";
import { abortOnClose, runForNobody, sinkOf } from "./exchange.ts";

export interface UpgradedSocket {
  readonly socket: Duplex;
  /** Bytes of the new protocol that came with the request. */
  readonly head: Buffer;
}

/** A peer that vanished without a word is noticed by TCP. */
const keepAliveMs = 30_000;

export async function streamBytes(
  { socket, head }: UpgradedSocket,
  answer: HttpResponse,
): Promise<void> {
  if (socket.destroyed) return runForNobody(answer);
  if (head.length > 0) socket.unshift(head);
  if (socket instanceof Socket) socket.setKeepAlive(true, keepAliveMs);
  socket.write(headOf(answer));
  const signal = abortOnClose([socket], socket.destroyed);
  const sink = { ...sinkOf(signal, (chunk, done) => socket.write(chunk, done)) };
  try {
    if (typeof answer.body === "function")
      await answer.body({ ...sink, incoming: chunksOf(socket) });
    socket.end();
    // What still comes is nobody's: the peer's end must be read to close.
    socket.resume();
  } catch {
    socket.destroy();
  }
}

function headOf({ status, headers, bytesProtocol }: HttpResponse): string {
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`,
    "Connection: Upgrade",
    `Upgrade: ${bytesProtocol ?? ""}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ];
  return `${lines.join("\r\n")}\r\n\r\n`;
}

function chunksOf(socket: Duplex): FrameSource {
  return {
    async next() {
      for (;;) {
        const chunk = socket.read() as Uint8Array | null;
        if (chunk !== null) return chunk;
        if (socket.readableEnded || socket.destroyed) return undefined;
        await readableOrOver(socket);
      }
    },
  };
}

function readableOrOver(socket: Duplex): Promise<void> {
  return new Promise((resolve) => {
    const events = ["readable", "end", "close"] as const;
    const done = (): void => {
      for (const event of events) socket.off(event, done);
      resolve();
    };
    for (const event of events) socket.once(event, done);
  });
}
