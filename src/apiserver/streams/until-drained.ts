// A stream without an end of its own ends when the server drains, as watches do.
import type { BodyStream } from "../../host/http.ts";
import type { InFlight } from "../in-flight.ts";

export function untilDrained(inFlight: InFlight, body: BodyStream): BodyStream {
  return async (sink) => {
    const ending = new AbortController();
    const end = (): void => ending.abort();
    const leave = inFlight.addWatch(end);
    if (sink.signal.aborted) end();
    else sink.signal.addEventListener("abort", end, { once: true });
    const { incoming } = sink;
    try {
      await body({
        write: (chunk) => sink.write(chunk),
        signal: ending.signal,
        ...(incoming === undefined ? {} : { incoming }),
      });
    } finally {
      sink.signal.removeEventListener("abort", end);
      leave();
    }
  };
}
