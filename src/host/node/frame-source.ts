// The frames that a WebSocket client sends, pulled one by one; while enough of them wait, the socket is not read. A
// client that answers no pings is gone.
import type { RawData, WebSocket } from "ws";
import type { FrameSource } from "../http.ts";

const waitingBytesMax = 262_144;
const pingMs = 30_000;

/** To be called in the turn in which the socket opened, so that no frame is missed. */
export function framesOf(webSocket: WebSocket): FrameSource {
  const waiting: Uint8Array[] = [];
  let size = 0;
  let closed = false;
  let wake: () => void = () => undefined;
  webSocket.on("message", (data) => {
    const frame = bytesOf(data);
    waiting.push(frame);
    size += frame.byteLength;
    if (size > waitingBytesMax) webSocket.pause();
    wake();
  });
  const stopPings = pingWhileOpen(webSocket);
  webSocket.once("close", () => {
    closed = true;
    stopPings();
    wake();
  });
  return {
    async next() {
      while (waiting.length === 0) {
        if (closed) return undefined;
        await new Promise<void>((resolve) => (wake = resolve));
      }
      const frame = waiting.shift()!;
      size -= frame.byteLength;
      if (size <= waitingBytesMax && webSocket.isPaused) webSocket.resume();
      return frame;
    },
  };
}

function pingWhileOpen(webSocket: WebSocket): () => void {
  let answered = true;
  webSocket.on("pong", () => (answered = true));
  const timer = setInterval(() => {
    const { isPaused } = webSocket;
    if (!answered && !isPaused) return webSocket.terminate();
    // Whom we do not read cannot be heard answering; but a ping to nobody breaks the connection.
    answered = isPaused;
    webSocket.ping();
  }, pingMs);
  timer.unref();
  return () => clearInterval(timer);
}

function bytesOf(data: RawData): Uint8Array {
  if (Array.isArray(data)) return Buffer.concat(data);
  return data instanceof ArrayBuffer ? new Uint8Array(data) : data;
}
