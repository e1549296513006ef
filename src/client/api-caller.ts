// One call to the server: identity and user agent on, the client's rate limit before, Retry-After obeyed, a refusal
// turned into StatusError. Knows HTTP and Status, and no resource (upstream: client-go/rest/request.go).
import { receivedError } from "../api/meta/errors.ts";
import type { Status } from "../api/types/meta-v1.ts";
import type { Clock, Host } from "../host/host.ts";
import {
  type ClientSignal,
  ConnectionError,
  type HttpRequest,
  type HttpResponse,
  type Peer,
  type RequestBody,
} from "../host/http.ts";
import { parseJson, stringifyJson } from "../std/json.ts";
import { encodeUtf8 } from "../std/utf8.ts";
import type { Identity } from "./identity.ts";
import { type RateLimit, RateLimiter } from "./rate-limiter.ts";
import { readText, refuseBody, wholeText } from "./response-body.ts";
import type { Transport } from "./transport.ts";
import { abortable, pause } from "./waiting.ts";

export interface ClientOptions {
  /** `job-controller/v1.36.0 ...`: what it says before the slash becomes the field manager. */
  readonly userAgent: string;
  readonly identity: Identity;
  /** For all calls but watches, which upstream does not hold back either; undefined: no limit. */
  readonly rateLimit: RateLimit | undefined;
  /** Further tries of a call that was answered with Retry-After; absent: as client-go, 10. */
  readonly retriesMax?: number;
}

export type QueryValue = string | number | boolean | readonly string[] | undefined;

export interface Call {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Without query. */
  readonly path: string;
  /** Undefined and "" are left out. */
  readonly query?: Readonly<Record<string, QueryValue>>;
  /** Sent as JSON. */
  readonly body?: object;
  /** `application/json` when absent. */
  readonly contentType?: string;
  /** `application/json` when absent; always some form of JSON. */
  readonly accept?: string;
  readonly signal?: AbortSignal | undefined;
}

const retriesMaxUsual = 10;

export class ApiCaller {
  readonly #clock: Clock;
  readonly #transport: Transport;
  readonly #options: ClientOptions;
  readonly #limiter: RateLimiter | undefined;
  readonly #retriesMax: number;

  constructor(host: Host, transport: Transport, options: ClientOptions) {
    this.#clock = host.clock;
    this.#transport = transport;
    this.#options = options;
    this.#retriesMax = options.retriesMax ?? retriesMaxUsual;
    this.#limiter =
      options.rateLimit === undefined ? undefined : new RateLimiter(host.clock, options.rateLimit);
  }

  /** The answer's JSON. Rejects with StatusError, ConnectionError or AbortedError. */
  async json(call: Call): Promise<unknown> {
    return parseAnswer(await this.#text(call));
  }

  /** For those to whom it is enough that the server agreed: the answer is not parsed. Rejects as `json` does. */
  async accepted(call: Call): Promise<void> {
    await this.#text(call);
  }

  /** Of the object in the answer. Rejects as `json` does. */
  async resourceVersion(call: Call): Promise<string> {
    const text = await this.#text(call);
    // Quotes inside strings are escaped, and metadata's own comes first, so only an odd answer needs a parse.
    const found = /"resourceVersion": ?"(\d+)"/.exec(text)?.[1];
    if (found !== undefined) return found;
    const { metadata } = parseAnswer(text) as { metadata?: { resourceVersion?: string } };
    return metadata?.resourceVersion ?? "";
  }

  async #text(call: Call): Promise<string> {
    const { signal } = call;
    const ms = this.#limiter?.reserve() ?? 0;
    if (ms > 0) await pause(this.#clock, ms, signal);
    const { body } = await this.#send(call, signal);
    if (typeof body !== "function") return wholeText(body);
    return await abortable(readText(body, signal), signal);
  }

  /** A good answer whose body the caller reads as it comes; it must be read or refused. Rejects as `json` does. */
  async answer(call: Call, signal: AbortSignal | undefined): Promise<HttpResponse> {
    await this.#limiter?.wait(signal);
    return this.#send(call, signal);
  }

  /** The answer to a watch, its body not read yet. `signal` ends it. */
  open(call: Call, signal: AbortSignal): Promise<HttpResponse> {
    return this.#send(call, signal);
  }

  /** A good answer, however many tries it takes. */
  async #send(call: Call, signal: AbortSignal | undefined): Promise<HttpResponse> {
    for (let retry = 0; ; retry++) {
      const response =
        signal === undefined
          ? await this.#transport(this.#request(call, signal))
          : await this.#ask(call, signal);
      if (response.status < 400) return response;
      const text = await abortable(readText(response.body, signal), signal);
      const waitMs = retryAfterMs(response);
      if (waitMs === undefined || retry === this.#retriesMax)
        throw refusalOf(response.status, text);
      await pause(this.#clock, waitMs, signal);
      await this.#limiter?.wait(signal);
    }
  }

  async #ask(call: Call, signal: AbortSignal): Promise<HttpResponse> {
    const answer = this.#transport(this.#request(call, signal));
    try {
      return await abortable(answer, signal);
    } catch (error) {
      // Given up: whatever is still answered must be let go.
      answer.then(({ body }) => refuseBody(body)).catch(() => undefined);
      throw error;
    }
  }

  #request(call: Call, given: AbortSignal | undefined): HttpRequest {
    const { identity, userAgent } = this.#options;
    const { impersonates } = identity;
    const hasBody = call.body !== undefined;
    const headers: Headers = {
      accept: call.accept ?? "application/json",
      "user-agent": userAgent,
      authorization: identity.authorization,
      "impersonate-user": impersonates?.name,
      [groupHeader]: impersonates?.groups.length ? impersonates.groups.join(", ") : undefined,
      "content-type": hasBody ? (call.contentType ?? "application/json") : undefined,
    };
    return new CallRequest(call, { headers, identity, signal: given });
  }
}

type Headers = Record<string, string | undefined>;

/** Of a call that nobody gives up. */
const neverAborted: ClientSignal = {
  aborted: false,
  reason: undefined,
  addEventListener: () => {},
  removeEventListener: () => {},
  throwIfAborted: () => {},
};

/** A class for its one shape: all of the server reads it. */
class CallRequest implements HttpRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: Headers;
  readonly body: RequestBody;
  readonly peer: Peer;
  readonly signal: ClientSignal;
  readonly #groups: readonly string[];

  constructor(
    { method, path, query, body }: Call,
    from: {
      readonly headers: Headers;
      readonly identity: Identity;
      readonly signal: AbortSignal | undefined;
    },
  ) {
    this.method = method;
    this.target = query === undefined ? path : `${path}${queryText(query)}`;
    this.headers = from.headers;
    this.body = body === undefined ? noBody : bodyOf(stringifyJson(body));
    this.peer = from.identity.peer;
    this.#groups = from.identity.impersonates?.groups ?? [];
    this.signal = from.signal ?? neverAborted;
  }

  repeated(name: string): readonly string[] {
    return name === groupHeader ? this.#groups : [this.headers[name] ?? []].flat();
  }
}

const noBytes = new Uint8Array(0);
const noBody: RequestBody = { read: () => Promise.resolve(noBytes) };

function bodyOf(json: string): RequestBody {
  return { json, read: () => Promise.resolve(encodeUtf8(json)) };
}

/** The one header that repeats: a group's name may hold a comma. */
const groupHeader = "impersonate-group";

function parseAnswer(text: string): unknown {
  try {
    return parseJson(text);
  } catch (cause) {
    // Something between us and the server spoke, or half an answer came.
    throw new ConnectionError("the answer is no JSON", false, cause);
  }
}

/** In the order of the names, as Go writes a query: logs of servers then read alike. */
function queryText(query: Readonly<Record<string, QueryValue>>): string {
  const entries = Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const pairs = entries.flatMap(([name, value]) =>
    (Array.isArray(value) ? (value as readonly string[]) : [value])
      .filter((one) => one !== undefined && one !== "")
      .map((one) => `${name}=${encodeURIComponent(String(one))}`),
  );
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

/** Undefined: not to be tried again. As upstream, only 429 and 5xx that say when. */
function retryAfterMs({ status, headers }: HttpResponse): number | undefined {
  if (status !== 429 && status < 500) return undefined;
  const value = headers.find(([name]) => name === "retry-after")?.[1];
  return value !== undefined && /^\d+$/.test(value) ? Number(value) * 1_000 : undefined;
}

function refusalOf(code: number, text: string): Error {
  return receivedError(code, statusOf(text), text);
}

function statusOf(text: string): Status | undefined {
  try {
    const value = parseJson(text) as Status | null;
    return typeof value === "object" && value?.kind === "Status" ? value : undefined;
  } catch {
    return undefined;
  }
}
