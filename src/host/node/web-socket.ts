// `Upgrade` on HTTP/1.1: the handler decides; for a WebSocket npm `ws` shakes hands and frames.
import { type IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import type { FrameSource, Handler, HttpResponse } from "../http.ts";
import { abortOnClose, runForNobody, sinkOf } from "./exchange.ts";
import { framesOf } from "./frame-source.ts";
import { type UpgradedSocket, streamBytes } from "./byte-upgrade.ts";
import { Http1Request, answerHttp1 } from "./http1.ts";

/** Longer frames end the connection. Clients that are listened to copy their input in pieces of 32 KiB. */
const frameBytesMax = { oneWay: 65_536, twoWay: 1_048_576 };

export async function upgradeHttp1(
  handler: Handler,
  request: IncomingMessage,
  upgraded: UpgradedSocket,
): Promise<void> {
  const { socket } = upgraded;
  socket.on("error", () => socket.destroy());
  const answer = await handler(new Http1Request(request, []));
  if (answer.bytesProtocol !== undefined) await streamBytes(upgraded, answer);
  else if (answer.webSocket === undefined) await answerPlainly(request, socket, answer);
  else if (socket.destroyed) await runForNobody(answer);
  else await stream(request, upgraded, answer);
}

/** The handler answered as to an ordinary request: with an error, or because what was asked for is no watch. */
async function answerPlainly(
  request: IncomingMessage,
  socket: Duplex,
  answer: HttpResponse,
): Promise<void> {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket as Socket);
  response.once("finish", () => socket.end());
  await answerHttp1(request, response, answer);
}

interface Opened {
  readonly webSocket: WebSocket;
  readonly incoming?: FrameSource;
}

async function stream(
  request: IncomingMessage,
  upgraded: UpgradedSocket,
  answer: HttpResponse,
): Promise<void> {
  const twoWay = answer.webSocket?.twoWay === true;
  // Loaded by the first who asks: few servers ever see a WebSocket, and every start would pay for it.
  const { WebSocketServer } = await import("ws");
  const server = new WebSocketServer({
    noServer: true,
    handleProtocols: () => answer.webSocket?.subprotocol ?? false,
    maxPayload: frameBytesMax[twoWay ? "twoWay" : "oneWay"],
  });
  const opened = await new Promise<Opened | undefined>((resolve) => {
    // A handshake that `ws` refuses it answers itself, and calls nobody: the socket's end is all there is to see.
    upgraded.socket.once("close", () => resolve(undefined));
    server.handleUpgrade(request, upgraded.socket, upgraded.head, (webSocket) =>
      resolve({ webSocket, ...(twoWay ? { incoming: framesOf(webSocket) } : {}) }),
    );
  });
  if (opened === undefined) return runForNobody(answer);
  const { webSocket, incoming } = opened;
  webSocket.on("error", () => webSocket.terminate());
  try {
    const binary = answer.webSocket?.frames === "binary";
    const signal = abortOnClose([webSocket], webSocket.readyState !== webSocket.OPEN);
    const plain = sinkOf(signal, (chunk, done) => webSocket.send(chunk, { binary }, done));
    const sink = incoming === undefined ? plain : { ...plain, incoming };
    if (typeof answer.body === "function") await answer.body(sink);
    webSocket.close(1000);
  } catch {
    webSocket.terminate();
  }
}
