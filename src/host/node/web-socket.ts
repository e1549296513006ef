// `Upgrade: websocket` on HTTP/1.1: the handler decides, npm `ws` shakes hands and frames.
import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import type { BodySink, Handler, HttpResponse } from "../http.ts";
import { abortOnClose, bytesOf } from "./exchange.ts";
import { Http1Request } from "./http1.ts";

export interface UpgradedSocket {
  readonly socket: Duplex;
  /** Bytes of the new protocol that came with the request. */
  readonly head: Buffer;
}

export async function upgradeHttp1(
  handler: Handler,
  request: IncomingMessage,
  upgraded: UpgradedSocket,
): Promise<void> {
  const { socket } = upgraded;
  socket.on("error", () => socket.destroy());
  const answer = await handler(new Http1Request(request, socket));
  if (answer.webSocket === undefined || typeof answer.body !== "function") refuse(socket, answer);
  else await stream(request, upgraded, answer);
}

/** The handler answered as to an ordinary request: 401, 403, 404 ... */
function refuse(socket: Duplex, answer: HttpResponse): void {
  const chunks: Uint8Array[] = [];
  if (typeof answer.body === "string" || answer.body instanceof Uint8Array)
    chunks.push(bytesOf(answer.body));
  const body = Buffer.concat(chunks);
  const head = [
    `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status] ?? ""}`,
    ...answer.headers.map(([name, value]) => `${name}: ${value}`),
    `content-length: ${body.byteLength}`,
    "connection: close",
  ].join("\r\n");
  socket.end(Buffer.concat([Buffer.from(`${head}\r\n\r\n`), body]));
}

async function stream(
  request: IncomingMessage,
  upgraded: UpgradedSocket,
  answer: HttpResponse,
): Promise<void> {
  // Loaded by the first who asks: few servers ever see a WebSocket, and every start would pay for it.
  const { WebSocketServer } = await import("ws");
  const server = new WebSocketServer({
    noServer: true,
    handleProtocols: () => answer.webSocket?.subprotocol ?? false,
    maxPayload: 65_536,
  });
  const webSocket = await new Promise<WebSocket>((resolve) => {
    server.handleUpgrade(request, upgraded.socket, upgraded.head, resolve);
  });
  webSocket.on("error", () => webSocket.terminate());
  try {
    if (typeof answer.body === "function")
      await answer.body(sinkOf(webSocket, answer.webSocket?.frames === "binary"));
    webSocket.close(1000);
  } catch {
    webSocket.terminate();
  }
}

function sinkOf(webSocket: WebSocket, binary: boolean): BodySink {
  return {
    signal: abortOnClose(webSocket, webSocket.readyState !== webSocket.OPEN),
    write: (chunk) =>
      new Promise((resolve, reject) => {
        webSocket.send(chunk, { binary }, (error) => (error ? reject(error) : resolve()));
      }),
  };
}
