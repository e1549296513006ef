// A transport that tells a meter of every attempt that passes through it: when it began, what was answered, how many
// bytes came and when they ended. Bodies pass through unread, but for the beginning of a refusal.
import type { Transport } from "../client/transport.ts";
import type { Clock } from "../host/host.ts";
import type {
  ClientSignal,
  BodySink,
  HttpRequest,
  HttpResponse,
  ResponseBody,
} from "../host/http.ts";
import { messageOf } from "../std/error-message.ts";
import type { PopulationMeter, Refusal } from "./meter.ts";
import { verbOf } from "../client/request-verb.ts";
import { decodeUtf8, encodeUtf8 } from "../std/utf8.ts";

const refusalBytesMax = 4_096;

export function meteredTransport(
  transport: Transport,
  clock: Clock,
  meter: PopulationMeter,
): Transport {
  return async (request) => {
    const attempt = new Attempt(request, clock, meter);
    let response: HttpResponse;
    try {
      response = await transport(request);
    } catch (error) {
      attempt.broken(error);
      throw error;
    }
    attempt.answered(response);
    return { ...response, body: attempt.counted(response.body) };
  };
}

class Attempt {
  readonly #clock: Clock;
  readonly #meter: PopulationMeter;
  readonly #signal: ClientSignal;
  readonly #verb: string;
  readonly #startedAt: number;
  #status = 0;
  #headMs = 0;
  /** The first bytes of a refusal. */
  #said = "";
  #done = false;
  #watching = false;
  readonly #closeWatch = (): void => {
    if (!this.#watching) return;
    this.#watching = false;
    this.#signal.removeEventListener("abort", this.#closeWatch);
    this.#meter.watchClosed(this.#clock.monotonic());
  };

  constructor(request: HttpRequest, clock: Clock, meter: PopulationMeter) {
    this.#clock = clock;
    this.#meter = meter;
    this.#signal = request.signal;
    this.#verb = verbOf(request.method, request.target);
    this.#startedAt = clock.monotonic();
    meter.requestStarted(this.#startedAt, Number(request.headers["content-length"] ?? 0));
  }

  answered({ status, headers }: HttpResponse): void {
    this.#status = status;
    this.#headMs = this.#clock.monotonic() - this.#startedAt;
    const header = (name: string): string | undefined => headers.find(([own]) => own === name)?.[1];
    const retryAfter = header("retry-after");
    if (retryAfter !== undefined) this.#meter.retryAfter(Number(retryAfter));
    const schema = header("x-kubernetes-pf-flowschema-uid");
    if (schema !== undefined)
      this.#meter.flow(schema, header("x-kubernetes-pf-prioritylevel-uid") ?? "");
    if (status >= 400 || this.#verb !== "WATCH") return;
    // A watch has succeeded when it is open.
    this.#succeeded();
    this.#meter.watchOpened(this.#clock.monotonic());
    this.#watching = true;
    // The reader is gone then, whenever the transport has let go of the stream.
    this.#signal.addEventListener("abort", this.#closeWatch, { once: true });
    if (this.#signal.aborted) this.#closeWatch();
  }

  counted(body: ResponseBody): ResponseBody {
    if (typeof body !== "function") {
      this.#take(typeof body === "string" ? encodeUtf8(body) : body);
      this.#ended();
      return body;
    }
    return async (sink) => {
      const write: BodySink["write"] = (chunk) => {
        this.#take(chunk);
        return sink.write(chunk);
      };
      try {
        await body({ ...sink, signal: sink.signal, write });
      } catch (error) {
        if (this.#verb === "WATCH" && this.#status < 400) this.#closeWatch();
        else this.broken(error);
        throw error;
      }
      this.#ended();
    };
  }

  broken(error: unknown): void {
    if (this.#done) return;
    this.#done = true;
    if (this.#signal.aborted) return this.#meter.requestAbandoned();
    const message = messageOf(error);
    const reason = error instanceof Error ? error.name : "Error";
    this.#meter.requestFailed(this.#clock.monotonic(), "broken", { status: 0, reason, message });
  }

  #take(chunk: Uint8Array | undefined): void {
    if (chunk === undefined) return;
    this.#meter.bytesReceived(this.#clock.monotonic(), chunk.length);
    if (this.#status >= 400 && this.#said.length < refusalBytesMax)
      this.#said += decodeUtf8(chunk.subarray(0, refusalBytesMax));
  }

  #ended(): void {
    this.#closeWatch();
    if (this.#done) return;
    this.#done = true;
    if (this.#status < 400) return this.#succeeded();
    const refusal = refusalOf(this.#status, this.#said);
    this.#meter.requestFailed(this.#clock.monotonic(), "refused", refusal);
  }

  #succeeded(): void {
    this.#done = true;
    const now = this.#clock.monotonic();
    const times = { head: this.#headMs, whole: now - this.#startedAt };
    this.#meter.requestSucceeded(this.#verb, now, times);
  }
}

function refusalOf(status: number, text: string): Refusal {
  const field = (name: string): string => {
    const quoted = new RegExp(`"${name}":\\s*(${jsonText})`, "u").exec(text)?.[1];
    return quoted === undefined ? "" : (JSON.parse(quoted) as string);
  };
  return { status, reason: field("reason"), message: field("message") || text.slice(0, 200) };
}

/** Nothing that JSON.parse would not read. */
const jsonText = String.raw`"(?:[^"\\\p{Cc}]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"`;
