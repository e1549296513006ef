// In which order requests that arrive together begin: at once while there are few, and otherwise first those of the
// connection that has cost the least. A connection that sends a thousand requests, or asks for long lists, delays the small
// question of another one by a slice of the loop, not by all that is in line.
import { performance } from "node:perf_hooks";
import { LeastServed } from "../../std/least-served.ts";
import type { BodyStream, Handler, HttpResponse } from "../http.ts";
import { LoopPhases } from "./loop-phases.ts";

/** Requests that arrive in one turn of the loop begin at once for so long; the rest waits for its turn. */
const burstMs = 2;

/** What a request costs as if it were bytes of an answer: a small GET takes as long as sending so many. */
const requestBytes = 65_536;

interface Arrival {
  readonly connection: object;
  readonly start: () => void;
}

export class FairArrivals {
  /** By connection. How much one may have here is bounded by its limit of streams. */
  readonly #waiting = new LeastServed<object, Arrival>();
  readonly #charging = new WeakMap<object, Handler>();
  readonly #phases = new LoopPhases({
    count: () => this.#waiting.size,
    begin: () => this.#beginNext(),
  });
  #burstEndsAt = 0;
  #inBurst = false;

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Calls `start` now or in one of the next turns; also when the connection is gone by then. */
  admit(connection: object, start: () => void): void {
    const isNext = this.#waiting.size === 0 && this.#hasTime();
    this.#waiting.add(connection, { connection, start });
    if (isNext) this.#beginNext();
    else this.#phases.arm();
  }

  /** The handler with its answers charged to the connection. A connection has one handler. */
  charging(connection: object, handler: Handler): Handler {
    const known = this.#charging.get(connection);
    if (known !== undefined) return known;
    const charge = (bytes: number): void => this.#waiting.charge(connection, bytes);
    const meter = (response: HttpResponse): HttpResponse => metered(response, charge);
    const charging: Handler = (request) => handler(request).then(meter);
    this.#charging.set(connection, charging);
    return charging;
  }

  #beginNext(): void {
    const arrival = this.#waiting.take();
    if (arrival === undefined) return;
    this.#waiting.charge(arrival.connection, requestBytes);
    arrival.start();
  }

  #hasTime(): boolean {
    const now = performance.now();
    if (!this.#inBurst) {
      this.#inBurst = true;
      this.#burstEndsAt = now + burstMs;
      setImmediate(() => (this.#inBurst = false));
    }
    return now < this.#burstEndsAt;
  }
}

function metered(response: HttpResponse, charge: (bytes: number) => void): HttpResponse {
  const { body } = response;
  if (body === undefined) return response;
  if (typeof body === "function") return { ...response, body: meteredStream(body, charge) };
  charge(body.length);
  return response;
}

function meteredStream(body: BodyStream, charge: (bytes: number) => void): BodyStream {
  return (sink) =>
    body({
      get signal() {
        return sink.signal;
      },
      write: (chunk) => {
        charge(chunk.byteLength);
        return sink.write(chunk);
      },
    });
}
