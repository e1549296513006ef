// Lets the components of a process leave room for everybody else, and for each other. A call in the same process takes no
// way through a socket: thousands that were begun together would run one after another before the event loop looks at the
// next connection. So only some begin in one of its turns, and lines take turns: the heartbeats of thousands of kubelets
// are one line, and keep neither a controller waiting that would let pods onto their nodes nor the pods there.
import type { Transport } from "../client/transport.ts";
import { AbortedError } from "../client/waiting.ts";
import type { Clock } from "../host/host.ts";
import type { HttpRequest } from "../host/http.ts";
import { RoundRobin } from "../std/round-robin.ts";

/** Requests begun in one turn: some milliseconds of work. */
const perTurn = 8;

/** Much else waits for what a watch is to show: a pod for its ConfigMaps, a controller for its view. */
function isWatch({ target }: HttpRequest): boolean {
  return target.includes("watch=true");
}

/** A transport for each line. Those that wait are bounded by what the components have under way at once. */
export function fairTransports(clock: Clock, transport: Transport): (line: string) => Transport {
  /** Each begins its request, and says whether somebody still wanted it. */
  const waiting = new RoundRobin<string, () => boolean>();
  let begun = 0;
  const nextTurns = async (): Promise<void> => {
    do {
      await clock.turn();
      for (begun = 0; begun < perTurn && waiting.size > 0;) if (waiting.take()!()) begun++;
    } while (begun > 0);
  };
  return (line) => (request) => {
    if (begun >= perTurn) {
      const own = isWatch(request) ? `${line}, watches` : line;
      return new Promise<void>((admit, refuse) =>
        waiting.add(own, () => {
          const { aborted } = request.signal;
          if (aborted) refuse(new AbortedError());
          else admit();
          return !aborted;
        }),
      ).then(() => transport(request));
    }
    if (begun++ === 0) void nextTurns();
    return transport(request);
  };
}
