// The API server's one entry: a request in, a response out, never a rejection. Around the chain (chain.ts) it gives
// each exchange an id and a deadline, counts it, and puts on what every answer carries.
import type { BodyStream, Handler, HttpRequest, HttpResponse } from "../host/http.ts";
import type { Host } from "../host/host.ts";
import { malformedReply, panicReply, refusal, runChain, timedOut, timeoutOf } from "./chain.ts";
import { Exchange } from "./exchange.ts";
import { flowHeaders } from "./flow-gate.ts";
import type { ServerParts } from "./parts.ts";
import { Place } from "./place.ts";
import { Query } from "./query.ts";
import type { Reply } from "./reply.ts";
import { type AccountParts, accountedStream, closeAccount, digestOf } from "./request-account.ts";
import { isLongRunning, readRequestInfo } from "./request-info.ts";
import { ServerState } from "./server-state.ts";
import { warningHeaders } from "./warning-header.ts";
import { auditIdOf } from "./audit-id.ts";

export interface ApiServer {
  readonly handle: Handler;
  /** Refuses new requests, ends watches cleanly, resolves when all accepted requests have been answered. */
  drain(): Promise<void>;
}

export function createApiServer(host: Host, parts: ServerParts): ApiServer {
  const server = new ServerState(host, parts);
  return {
    handle: (request) => handle(server, request),
    drain: () => server.inFlight.drain(),
  };
}

async function handle(server: ServerState, request: HttpRequest): Promise<HttpResponse> {
  const auditId = auditIdOf(request.headers["audit-id"], server.auditIds);
  try {
    const read = readExchange(server, request, auditId);
    if (typeof read === "string") return finish(request, malformedReply(request, read), auditId);
    const reply = await serve(server, read);
    return finish(request, reply, auditId, read);
  } catch (error) {
    return finish(request, panicReply(server, request, error), auditId);
  }
}

/** Text: why there is none. */
function readExchange(
  { meter }: ServerState,
  request: HttpRequest,
  auditId: string,
): Exchange | string {
  const { target } = request;
  const mark = target.indexOf("?");
  const path = mark < 0 ? target : target.slice(0, mark);
  const query = new Query(mark < 0 ? "" : target.slice(mark + 1));
  const read = readRequestInfo(request.method, path, query);
  if (read.kind === "Malformed") return read.why;
  return new Exchange(request, { info: read.info, query, auditId, meter });
}

async function serve(server: ServerState, exchange: Exchange): Promise<Reply> {
  const started = server.host.clock.monotonic();
  exchange.cost.resume(started);
  const longRunning = isLongRunning(exchange.info);
  const place = new Place(server, exchange.info);
  let reply: Reply;
  try {
    reply = longRunning ? await runChain(server, exchange) : await withDeadline(server, exchange);
  } catch (error) {
    place.pass = exchange.pass;
    place.leave();
    throw error;
  }
  // Work that goes on without an answer keeps its seats: withDeadline gives them back.
  if (!exchange.abandoned) place.pass = exchange.pass;
  const answered = server.host.clock.monotonic();
  const seconds = (answered - started) / 1_000;
  const { info, known, dryRun, cost } = exchange;
  cost.suspend(answered);
  const bytes = typeof reply.body === "function" ? undefined : (reply.body?.length ?? 0);
  const queueSeconds = cost.queueWaitMs / 1_000;
  server.requestMetrics.finished({
    info,
    known,
    dryRun,
    code: reply.status,
    seconds,
    queueSeconds,
    bodyBytes: cost.bytesIn,
    bytes,
  });
  const account = accountOf(server, exchange, { startedAt: started, reply, longRunning });
  const bodiless = exchange.request.method === "HEAD";
  if (typeof reply.body !== "function" || bodiless) {
    const noted = closeAccount(account, bodiless ? 0 : (bytes ?? 0));
    if (noted !== undefined) await noted;
    place.leave();
    return reply;
  }
  if (longRunning && known) place.stay(server.requestMetrics.longRunning(info));
  const leftMs = longRunning ? undefined : usualTimeout(server, exchange) - seconds * 1_000;
  const counted = accountedStream(account, reply.body);
  return { ...reply, body: accounted(server, counted, { place, leftMs }) };
}

function accountOf(
  { host: { clock }, parts: { accountant } }: ServerState,
  exchange: Exchange,
  answer: Pick<AccountParts, "startedAt" | "reply" | "longRunning">,
): AccountParts {
  const { cost, trail } = exchange;
  return { accountant, clock, digest: digestOf(exchange), cost, trail, ...answer };
}

function usualTimeout(server: ServerState, exchange: Exchange): number {
  return exchange.timeoutMs ?? server.parts.options.requestTimeoutMs;
}

/** The chain's answer, or 504 when it takes too long; what the chain still does is then nobody's. */
function withDeadline(server: ServerState, exchange: Exchange): Promise<Reply> {
  let ms: number;
  try {
    ms = timeoutOf(exchange, server.parts.options.requestTimeoutMs);
  } catch (error) {
    return Promise.resolve(refusal(server, exchange, error));
  }
  exchange.timeoutMs = ms;
  return new Promise((resolve, reject) => {
    const cancel = server.deadlines.enter(ms, () => {
      exchange.abandoned = true;
      resolve(timedOut(server, exchange));
    });
    runChain(server, exchange).then((reply) => {
      cancel();
      if (exchange.abandoned) exchange.pass?.leave();
      resolve(reply);
    }, reject);
  });
}

interface Accounting {
  readonly place: Place;
  /** Milliseconds the body may still take; undefined for long-running ones. */
  readonly leftMs: number | undefined;
}

/** A client that stops reading is cut off at the request's deadline. */
function accounted(server: ServerState, body: BodyStream, to: Accounting): BodyStream {
  return async (sink) => {
    if (to.leftMs === undefined) {
      try {
        return await body(sink);
      } finally {
        to.place.leave();
      }
    }
    let cancel: (() => void) | undefined;
    const expired = new Promise<never>((_, reject) => {
      const fail = (): void => reject(new Error("the answer was not read within the timeout"));
      cancel = server.host.clock.after(Math.max(0, to.leftMs ?? 0), fail);
    });
    try {
      await Promise.race([body(sink), expired]);
    } finally {
      cancel?.();
      to.place.leave();
    }
  };
}

const noCache = ["cache-control", "no-cache, private"] as const;

function finish(
  request: HttpRequest,
  reply: Reply,
  auditId: string,
  exchange?: Exchange,
): HttpResponse {
  const headers: (readonly [string, string])[] = [["audit-id", auditId]];
  if (!reply.headers?.some(([name]) => name === "cache-control")) headers.push(noCache);
  if (reply.contentType !== "") headers.push(["content-type", reply.contentType]);
  if (reply.headers !== undefined) headers.push(...reply.headers);
  if (exchange !== undefined) headers.push(...flowHeaders(exchange));
  if (exchange !== undefined && exchange.warnings.length > 0)
    for (const warning of warningHeaders(exchange.warnings)) headers.push(["warning", warning]);
  const body = request.method === "HEAD" ? undefined : reply.body;
  const { status, large, webSocket, bytesProtocol } = reply;
  if (large === undefined && webSocket === undefined && bytesProtocol === undefined)
    return { status, headers, body };
  return {
    status,
    headers,
    body,
    ...(large === true && acceptsGzip(request) ? { gzip: true as const } : {}),
    ...(webSocket === undefined ? {} : { webSocket }),
    ...(bytesProtocol === undefined ? {} : { bytesProtocol }),
  };
}

function acceptsGzip(request: HttpRequest): boolean {
  return request.headers["accept-encoding"]?.includes("gzip") === true;
}
