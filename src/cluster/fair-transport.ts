// Lets the components of a process leave room for everybody else, and for each other. A call in the same process takes no
// way through a socket: thousands that were begun together would run one after another before the event loop looks at the
// next connection. So only some begin in one of its turns, and lines take turns: the heartbeats of thousands of kubelets
// are one line, and keep neither a controller waiting that would let pods onto their nodes nor the pods there.
import { verbOf } from "../client/request-verb.ts";
import type { Transport } from "../client/transport.ts";
import { AbortedError } from "../client/waiting.ts";
import type { Clock } from "../host/host.ts";
import { RoundRobin } from "../std/round-robin.ts";

/** Requests begun in one turn: some milliseconds of work. */
const perTurn = 8;

export interface Line {
  /** Requests of one name wait in one line. */
  readonly name: string;
  /** Every second place is for such lines: a heartbeat that comes late costs a node its pods. */
  readonly urgent: boolean;
}

/** A transport for each line. Those that wait are bounded by what the components have under way at once. */
export function fairTransports(clock: Clock, transport: Transport): (line: Line) => Transport {
  /** Each begins its request, and says whether somebody still wanted it. */
  const urgent = new RoundRobin<string, () => boolean>();
  const others = new RoundRobin<string, () => boolean>();
  let begun = 0;
  let places = 0;
  const takeNext = (): (() => boolean) | undefined =>
    places++ % 2 === 0 ? (urgent.take() ?? others.take()) : (others.take() ?? urgent.take());
  const nextTurns = async (): Promise<void> => {
    do {
      await clock.turn();
      begun = 0;
      for (let begin = takeNext(); begin !== undefined; begin = takeNext())
        if (begin() && ++begun === perTurn) break;
    } while (begun > 0);
  };
  return ({ name, urgent: isUrgent }) =>
    (request) => {
      if (begun >= perTurn) {
        // Much else waits for what a watch is to show: a pod for its ConfigMaps, a controller for its view.
        const watches = verbOf(request.method, request.target) === "WATCH";
        const own = watches ? `${name}, watches` : name;
        const waiting = isUrgent ? urgent : others;
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
