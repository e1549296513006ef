// `exec` and `attach` over SPDY/3.1, as kubectl before 1.30 and client-go's SPDY executors ask: a stream for each standard
// stream, one for how it ended, one for the size of a terminal (upstream: kubelet/pkg/cri/streaming/remotecommand).
import type { ProcessSession } from "../../api/node-streams.ts";
import type { Clock } from "../../host/host.ts";
import type { ClientSignal, BodySink, HttpRequest } from "../../host/http.ts";
import type { Reply } from "../reply.ts";
import type { ServerState } from "../server-state.ts";
import { type SpdyStream, serveSpdy } from "../spdy/session.ts";
import { agree, upgraded } from "../spdy/upgrade.ts";
import { resultOf } from "./channels.ts";
import { type ProcessEnd, endOf } from "./process-end.ts";
import { untilDrained } from "./until-drained.ts";
import type { WantedStreams } from "./wanted-streams.ts";

const spoken = [
  "v4.channel.k8s.io",
  "v3.channel.k8s.io",
  "v2.channel.k8s.io",
  "channel.k8s.io",
] as const;
/** The client must have opened its streams by then (upstream: DefaultStreamCreationTimeout). */
const streamsMs = 30_000;

export interface AskedProcess {
  readonly session: ProcessSession;
  readonly wanted: WantedStreams;
}

export function serveSpdyProcess(
  { host, inFlight }: ServerState,
  request: HttpRequest,
  asked: AskedProcess,
): Reply {
  const agreed = agree(request, spoken);
  if ("refusal" in agreed) return agreed.refusal;
  const { agreement } = agreed;
  const wire = { ...asked, protocol: agreement.protocol };
  return upgraded(
    agreement,
    untilDrained(inFlight, (sink) => runProcess(host.clock, sink, wire)),
  );
}

interface Wire extends AskedProcess {
  readonly protocol: string;
}

async function runProcess(clock: Clock, sink: BodySink, wire: Wire): Promise<void> {
  const over = new AbortController();
  const leave = (): void => over.abort();
  sink.signal.addEventListener("abort", leave, { once: true });
  if (sink.signal.aborted) leave();
  const streams = new Map<string, SpdyStream>();
  const expected = expectedStreams(wire);
  const tooLate = clock.after(streamsMs, leave);
  let ran: Promise<void> | undefined;
  const served = serveSpdy({ ...sink, signal: over.signal }, (stream) => {
    const kind = stream.headers.get("streamtype") ?? "";
    if (!expected.includes(kind) || streams.has(kind)) {
      void stream.reset().catch(leave);
      return;
    }
    streams.set(kind, stream);
    if (streams.size < expected.length) return;
    tooLate();
    ran = attend(streams, wire, sink.signal).finally(leave);
    // How it ended is looked at below, once the connection has ended too.
    ran.catch(leave);
  });
  try {
    await served;
  } finally {
    tooLate();
    sink.signal.removeEventListener("abort", leave);
    leave();
    await ran;
  }
}

function expectedStreams({ wanted, protocol }: Wire): string[] {
  const resizes = wanted.tty && (protocol === spoken[0] || protocol === spoken[1]);
  return [
    "error",
    ...(["stdin", "stdout", "stderr"] as const).filter((name) => wanted[name]),
    ...(resizes ? ["resize"] : []),
  ];
}

async function attend(
  streams: ReadonlyMap<string, SpdyStream>,
  { session, wanted, protocol }: Wire,
  signal: ClientSignal,
): Promise<void> {
  const stdin = streams.get("stdin");
  const stdout = streams.get("stdout");
  const stderr = streams.get("stderr");
  for (const [kind, stream] of streams) if (kind !== "stdin") stream.ignore();
  const ended = await endOf(session, {
    ...(stdin === undefined ? {} : { stdin: () => stdin.next() }),
    stdout: async (bytes) => stdout?.write(bytes),
    // On a terminal both outputs are one.
    stderr: async (bytes) => (wanted.tty ? stdout : stderr)?.write(bytes),
    tty: wanted.tty,
    signal,
  });
  await tell(streams.get("error"), ended, protocol);
  for (const stream of streams.values()) {
    stream.ignore();
    await stream.close();
  }
}

async function tell(
  error: SpdyStream | undefined,
  ended: ProcessEnd,
  protocol: string,
): Promise<void> {
  const result = resultOf(ended, protocol === spoken[0] ? protocol : "channel.k8s.io");
  if (result !== undefined) await error?.write(result);
}
