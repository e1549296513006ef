// `pods/NAME/exec` and `attach`: a process on the node, its standard streams on the channels of a WebSocket, or on streams of
// SPDY/3.1 (spdy-process.ts), which kubectl before 1.30 speaks.
import { badRequest } from "../../api/meta/errors.ts";
import type { ContainerTarget, ProcessSession } from "../../api/node-streams.ts";
import type { BodySink, BodyStream, FrameSource } from "../../host/http.ts";
import type { Exchange } from "../exchange.ts";
import type { Reply } from "../reply.ts";
import type { ServerState } from "../server-state.ts";
import { offeredSubprotocols, wantsWebSocket } from "../web-socket.ts";
import { wantsSpdy } from "../spdy/upgrade.ts";
import { ByteQueue } from "./byte-queue.ts";
import {
  type Protocol,
  channel,
  chooseProtocol,
  frameOf,
  readFrame,
  resultOf,
} from "./channels.ts";
import { handedOn, translated } from "./obstacle.ts";
import { endOf } from "./process-end.ts";
import { serveSpdyProcess } from "./spdy-process.ts";
import { untilDrained } from "./until-drained.ts";
import { type WantedStreams, wantedStreams } from "./wanted-streams.ts";

/** Standard input that the process has not read yet; then the client is not read either. */
const stdinBytesMax = 1_048_576;
const nothing = new Uint8Array(0);
/** Clients that speak it are answered by the server itself, which then asks the kubelet (KEP-4006). */
const translatedProtocol: Protocol = "v5.channel.k8s.io";

export function serveProcess(
  server: ServerState,
  exchange: Exchange,
  target: ContainerTarget,
): Reply {
  const { request, query, info } = exchange;
  const { nodeStreams } = server.parts;
  const wanted = wantedStreams(query);
  const command = query.all("command");
  const ask = (): ProcessSession =>
    info.subresource === "attach" ? nodeStreams.attach(target) : nodeStreams.exec(target, command);
  if (wantsSpdy(request))
    return handedOn(() => serveSpdyProcess(server, request, { session: ask(), wanted }));
  const { headers } = request;
  if (!wantsWebSocket(headers)) throw badRequest("Upgrade request required");
  const protocol = chooseProtocol(offeredSubprotocols(headers));
  if (protocol === undefined)
    throw badRequest(
      "unable to upgrade: none of the offered WebSocket subprotocols is spoken here",
    );
  if (protocol !== translatedProtocol)
    return handedOn(() => webSocketReply(server, ask(), { ...wanted, protocol }));
  const session = translated(ask, kubeletQuery(wanted, command));
  return webSocketReply(server, session, { ...wanted, protocol });
}

function webSocketReply({ inFlight }: ServerState, session: ProcessSession, wire: Wire): Reply {
  const { protocol } = wire;
  const subprotocol = protocol === "" ? {} : { subprotocol: protocol };
  return {
    status: 101,
    contentType: "",
    body: untilDrained(inFlight, processBody(session, wire)),
    webSocket: { frames: "binary", twoWay: true, ...subprotocol },
  };
}

/** As a kubelet is asked for a process (upstream: registry/core/pod/strategy.go streamParams). */
function kubeletQuery(
  { stdin, stdout, stderr, tty }: WantedStreams,
  command: readonly string[],
): string {
  const words = command.map((word) => `command=${encodeURIComponent(word).replaceAll("%20", "+")}`);
  const flags = Object.entries({ error: stderr, input: stdin, output: stdout, tty });
  return [...words, ...flags.flatMap(([name, is]) => (is ? [`${name}=1`] : []))].join("&");
}

interface Wire extends WantedStreams {
  readonly protocol: Protocol;
}

function processBody(session: ProcessSession, wire: Wire): BodyStream {
  return async (sink) => {
    const write = oneAtATime(sink);
    const send = async (to: number, bytes: Uint8Array): Promise<void> => write(frameOf(to, bytes));
    const input = new ByteQueue(stdinBytesMax);
    const pumped = pump(sink.incoming, input, wire.protocol);
    const leave = (): void => input.end();
    sink.signal.addEventListener("abort", leave, { once: true });
    if (sink.signal.aborted) leave();
    try {
      if (wire.stdout) await send(channel.stdout, nothing);
      if (wire.stderr) await send(channel.stderr, nothing);
      await send(channel.error, nothing);
      const ended = await endOf(session, {
        ...(wire.stdin ? { stdin: () => input.next() } : {}),
        stdout: (bytes) => (wire.stdout ? send(channel.stdout, bytes) : Promise.resolve()),
        stderr: (bytes) => sendError(send, wire, bytes),
        tty: wire.tty,
        signal: sink.signal,
      });
      const result = resultOf(ended, wire.protocol);
      if (result !== undefined) await send(channel.error, result);
    } finally {
      sink.signal.removeEventListener("abort", leave);
      input.end();
    }
    void pumped;
  };
}

/** On a terminal both outputs are one. */
function sendError(
  send: (to: number, bytes: Uint8Array) => Promise<void>,
  { stderr, stdout, tty }: Wire,
  bytes: Uint8Array,
): Promise<void> {
  if (stderr) return send(channel.stderr, bytes);
  return tty && stdout ? send(channel.stdout, bytes) : Promise.resolve();
}

/** Until the client is gone, so that its window sizes and what comes too late are read too. */
async function pump(
  incoming: FrameSource | undefined,
  input: ByteQueue,
  protocol: Protocol,
): Promise<void> {
  for (;;) {
    const frame = await incoming?.next();
    if (frame === undefined) return input.end();
    const said = readFrame(frame, protocol);
    if (said.is === "stdin") await input.push(said.bytes);
    else if (said.is === "end of stdin") input.end();
  }
}

/** The process writes its two outputs when it likes; a sink takes one chunk after the other. */
function oneAtATime(sink: BodySink): (chunk: Uint8Array) => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  return (chunk) => {
    last = last.then(() => sink.write(chunk));
    return last;
  };
}
