// Lets the components of a process leave room for everybody else. A call in the same process takes no way through a
// socket: thousands that were begun together would run one after another before the event loop looks at the next
// connection. So only some begin in one of its turns, first come, first served.
import type { Transport } from "../client/transport.ts";
import type { Clock } from "../host/host.ts";

/** Requests begun in one turn: some milliseconds of work. */
const perTurn = 8;

/** Those that wait are bounded by what the components have under way at once. */
export function fairTransport(clock: Clock, transport: Transport): Transport {
  const waiting: (() => void)[] = [];
  let begun = 0;
  const nextTurns = async (): Promise<void> => {
    do {
      await clock.turn();
      const admitted = waiting.splice(0, perTurn);
      begun = admitted.length;
      for (const admit of admitted) admit();
    } while (begun > 0);
  };
  return (request) => {
    if (begun >= perTurn)
      return new Promise<void>((admit) => waiting.push(admit)).then(() => transport(request));
    if (begun++ === 0) void nextTurns();
    return transport(request);
  };
}
