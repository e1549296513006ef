// What the guards at the door see and did, for /metrics.
import type { Connections } from "./connections.ts";
import type { FairArrivals } from "./fair-arrivals.ts";
import { type ProcessFigure, counter, gauge } from "./process-figures.ts";
import type { SessionWatch } from "./session-watch.ts";

interface Door {
  readonly connections: Connections;
  readonly sessions: SessionWatch;
  readonly arrivals: FairArrivals;
}

export function listenerFigures({
  connections,
  sessions,
  arrivals,
}: Door): readonly ProcessFigure[] {
  return [
    gauge("wavetank_connections", "Open connections.", () => connections.open.size),
    gauge(
      "wavetank_connection_handshakes",
      "Connections whose TLS handshake is under way.",
      () => connections.handshakes,
    ),
    counter(
      "wavetank_connections_accepted_total",
      "Connections that were let in.",
      () => connections.accepted,
    ),
    {
      name: "wavetank_connections_cut_total",
      help: "Connections refused or ended, and answers dropped, by the guard that did it.",
      type: "counter",
      labels: ["guard"],
      read: () => [...connections.cuts].map(([reason, count]) => [[reason], count] as const),
    },
    gauge("wavetank_http2_streams", "Open HTTP/2 streams, watches too.", () => sessions.streams),
    gauge(
      "wavetank_arrivals_waiting",
      "Requests that wait for their turn to begin.",
      () => arrivals.waiting,
    ),
  ];
}
