// A request's place among those under way: counted while it is there, with the seats that flow control gave it. Watches
// keep theirs for hours, so it holds nothing else of the request.
import type { FlowPass } from "../flowcontrol/flow-pass.ts";
import { isReadOnly } from "../flowcontrol/request-digest.ts";
import type { Counter } from "./metrics/metric-registry.ts";
import { type RequestInfo, isLongRunning } from "./request-info.ts";
import type { ServerState } from "./server-state.ts";

export class Place {
  pass: FlowPass | undefined;
  readonly #server: ServerState;
  #gauge: Counter | undefined;

  constructor(server: ServerState, info: RequestInfo) {
    this.#server = server;
    server.inFlight.begin();
    if (isLongRunning(info)) return;
    this.#gauge = server.requestMetrics.inflight(isReadOnly(info.verb) ? "readOnly" : "mutating");
    this.#gauge.add(1);
  }

  /** It runs for long from now on. */
  stay(gauge: Counter): void {
    this.#gauge = gauge;
    gauge.add(1);
  }

  leave(): void {
    this.#gauge?.add(-1);
    this.#server.inFlight.end();
    this.pass?.leave();
  }
}
