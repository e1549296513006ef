// `pods/NAME/portforward`: connections to ports of a pod, each a pair of SPDY streams: one for its bytes, one for what went
// wrong (upstream: kubelet/pkg/cri/streaming/portforward/httpstream.go).
import { StatusError } from "../../api/meta/errors.ts";
import type { PodTarget, PortSession } from "../../api/node-streams.ts";
import { encodeUtf8 } from "../../std/utf8.ts";
import type { Exchange } from "../exchange.ts";
import type { Reply } from "../reply.ts";
import type { ServerState } from "../server-state.ts";
import { type SpdyStream, serveSpdy } from "../spdy/session.ts";
import { agree, upgraded } from "../spdy/upgrade.ts";
import { handedOn } from "./obstacle.ts";
import { untilDrained } from "./until-drained.ts";

const protocol = "portforward.k8s.io";
const portMax = 65_535;

export function servePortForward(
  server: ServerState,
  exchange: Exchange,
  target: PodTarget,
): Reply {
  return handedOn(() => forward(server, exchange, target));
}

function forward(
  { parts, inFlight }: ServerState,
  { request }: Exchange,
  target: PodTarget,
): Reply {
  const session = parts.nodeStreams.portForward(target);
  const agreed = agree(request, [protocol]);
  if ("refusal" in agreed) return agreed.refusal;
  const body = untilDrained(inFlight, (sink) => serveSpdy(sink, new Pairing(session).take));
  return upgraded(agreed.agreement, body);
}

interface Pair {
  readonly data: SpdyStream;
  readonly error: SpdyStream;
}

/** Brings the two streams of a connection together: they say the same request id. */
class Pairing {
  readonly #session: PortSession;
  readonly #waiting = new Map<string, SpdyStream>();

  constructor(session: PortSession) {
    this.#session = session;
  }

  readonly take = (stream: SpdyStream): void => {
    const kind = stream.headers.get("streamtype");
    const port = portOf(stream);
    if (port === undefined || (kind !== "data" && kind !== "error"))
      return void stream.reset().catch(nobodyListens);
    // Clients of old say none: then a connection's data stream is the one after its error stream.
    const usual = kind === "error" ? stream.id : stream.id - 2;
    const request = stream.headers.get("requestid") ?? String(usual);
    const other = this.#waiting.get(`${request} ${kind === "data" ? "error" : "data"}`);
    if (other === undefined) return this.#wait(`${request} ${kind}`, stream);
    const pair = kind === "data" ? { data: stream, error: other } : { data: other, error: stream };
    void connect(this.#session, port, pair).catch(nobodyListens);
  };

  /** Until the other one comes or the client gives it up; how many do is bounded by how many streams are open. */
  #wait(key: string, stream: SpdyStream): void {
    this.#waiting.set(key, stream);
    const forget = (): void => {
      if (this.#waiting.get(key) === stream) this.#waiting.delete(key);
    };
    stream.signal.addEventListener("abort", forget, { once: true });
  }
}

async function connect(session: PortSession, port: number, { data, error }: Pair): Promise<void> {
  error.ignore();
  try {
    await session(port, {
      next: () => data.next(),
      write: (bytes) => data.write(bytes),
      signal: data.signal,
    });
  } catch (thrown) {
    if (!(thrown instanceof StatusError)) throw thrown;
    await error.write(encodeUtf8(thrown.message));
  } finally {
    data.ignore();
    await Promise.all([data.close(), error.close()]);
  }
}

function portOf({ headers }: SpdyStream): number | undefined {
  const port = Number(headers.get("port") ?? Number.NaN);
  return Number.isInteger(port) && port > 0 && port <= portMax ? port : undefined;
}

/** The client left while something was written to it. */
function nobodyListens(): void {}
