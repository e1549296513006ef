// Lets the components of a process leave room for everybody else, and for each other. A call in the same process takes no
// way through a socket: thousands that were begun together would run one after another before the event loop looks at the
// next connection. So only some begin in one of its turns, and lines take turns: the heartbeats of thousands of kubelets
// are one line, and keep neither a controller waiting that would let pods onto their nodes nor the pods there.
import type { Transport } from "../client/transport.ts";
import type { Clock } from "../host/host.ts";
import { RoundRobin } from "../std/round-robin.ts";

/** Requests begun in one turn: some milliseconds of work. */
const perTurn = 8;

/** A transport for each line. Those that wait are bounded by what the components have under way at once. */
export function fairTransports(clock: Clock, transport: Transport): (line: string) => Transport {
  const waiting = new RoundRobin<string, () => void>();
  let begun = 0;
  const nextTurns = async (): Promise<void> => {
    do {
      await clock.turn();
      for (begun = 0; begun < perTurn && waiting.size > 0; begun++) waiting.take()!();
    } while (begun > 0);
  };
  return (line) => (request) => {
    if (begun >= perTurn)
      return new Promise<void>((admit) => waiting.add(line, admit)).then(() => transport(request));
    if (begun++ === 0) void nextTurns();
    return transport(request);
  };
}
