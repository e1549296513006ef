// WATCH: opens a watcher and hands it to the stream; nothing of the request stays behind with an idle watch.
import { StatusError, tooManyRequests } from "../../api/meta/errors.ts";
import {
  type ListOptions,
  checkListOptions,
  readListOptions,
} from "../../api/meta/list-options.ts";
import type { WatchRefusal } from "../../flowcontrol/watch-budget.ts";
import type { Cancel } from "../../host/host.ts";
import type { BodyStream } from "../../host/http.ts";
import type { Watcher } from "../../watchcache/resource-cache.ts";
import { wantedBy } from "../object-reply.ts";
import type { Reply } from "../reply.ts";
import { type ResourceCall, storedOf } from "../resource-call.ts";
import type { RequestInfo } from "../request-info.ts";
import type { ServerState } from "../server-state.ts";
import type { WatchEncoding } from "../watch-encoding.ts";
import { findWatchEncoding } from "../watch-encodings.ts";
import { type WatchStream, streamRefusal, streamWatch } from "../watch-stream.ts";
import { offeredSubprotocol, wantsWebSocket } from "../web-socket.ts";
import { namespaceOf } from "../write-call.ts";

export async function watchObjects({ server, exchange, endpoint }: ResourceCall): Promise<Reply> {
  const wanted = { clock: server.host.clock, ...wantedBy(server, exchange) };
  const options = namedOptions(readListOptions(exchange.query), exchange.info);
  checkListOptions(options, "watch");
  const encoding = findWatchEncoding(endpoint.encodings, endpoint.kind, wanted);
  const lifetimeMs = watchLifetime(server, options.timeoutSeconds);
  const { headers } = exchange.request;
  const webSocket = wantsWebSocket(headers) ? socketUpgrade(encoding, headers) : undefined;
  const leaveBudget = enterBudget(server, exchange.user.name);
  const endsAt = server.host.clock.monotonic() + lifetimeMs;
  const namespace = namespaceOf(endpoint, exchange);
  exchange.cost.suspend(server.host.clock.monotonic());
  const opened = await open(() => storedOf(endpoint).watch(namespace, options, endsAt)).catch(
    (error: unknown) => {
      leaveBudget();
      throw error;
    },
  );
  const { contentType } = encoding;
  const upgrade = webSocket === undefined ? {} : { webSocket };
  if (opened instanceof StatusError) {
    leaveBudget();
    const { status } = opened;
    const body: BodyStream = (sink) => streamRefusal(encoding, status, sink);
    return { status: 200, contentType, body, ...upgrade };
  }
  const { pass } = exchange;
  if (pass !== undefined) opened.onceInitialised(() => pass.release());
  if (exchange.request.method === "HEAD") {
    opened.close();
    leaveBudget();
  }
  const stream = {
    clock: server.host.clock,
    pool: server.pool,
    watcher: opened,
    encoding,
    lifetimeMs,
    framed: webSocket !== undefined,
    cost: exchange.cost,
    metrics: server.requestMetrics.watchEvents(exchange.info),
  };
  const body = watchBody(server, stream, leaveBudget);
  return { status: 200, contentType, body, ...upgrade };
}

const refusals: Record<WatchRefusal, string> = {
  total: "too many watches are open on this server, please try again later",
  user: "this user has too many watches open: close some, or watch whole namespaces instead of single objects",
  rate: "this user opens watches too quickly: keep them open and back off before opening them again",
};

/** Throws 429. */
function enterBudget(server: ServerState, user: string): Cancel {
  const place = server.watchBudget.enter(user, server.host.clock.monotonic());
  if (place.kind === "Refused") throw tooManyRequests(refusals[place.by], place.retryAfterSeconds);
  return place.leave;
}

/** A revision that is too old is told on the open stream, as the upstream cache does; other refusals are answers. */
async function open(watch: () => Promise<Watcher>): Promise<Watcher | StatusError> {
  try {
    return await watch();
  } catch (error) {
    if (error instanceof StatusError && error.code === 410) return error;
    throw error;
  }
}

/** Made apart, so that the closure holds the stream and nothing of the request. */
function watchBody(server: ServerState, stream: WatchStream, leaveBudget: Cancel): BodyStream {
  const leave = server.inFlight.addWatch(() => stream.watcher.close());
  return async (sink) => {
    try {
      await streamWatch(stream, sink);
    } finally {
      leave();
      leaveBudget();
    }
  };
}

/** The old `/watch/…/NAME` paths watch one object. */
function namedOptions(options: ListOptions, info: RequestInfo): ListOptions {
  if (!info.named) return options;
  const term = `metadata.name=${info.name}`;
  const fieldSelector = options.fieldSelector === "" ? term : `${options.fieldSelector},${term}`;
  return { ...options, fieldSelector };
}

/** What the client asked for, else a random length so that many watches do not all end together. */
function watchLifetime(server: ServerState, timeoutSeconds: number | undefined): number {
  if (timeoutSeconds !== undefined && timeoutSeconds > 0)
    return Math.min(timeoutSeconds * 1_000, lifetimeMsMax);
  return server.parts.options.minRequestTimeoutMs * (1 + server.watchLengths.unit());
}

/** What a timer can hold: about 24 days. */
const lifetimeMsMax = 2_147_483_647;

function socketUpgrade(
  encoding: WatchEncoding,
  headers: Readonly<Record<string, string | undefined>>,
): { readonly frames: "text" | "binary"; readonly subprotocol?: string } {
  const subprotocol = offeredSubprotocol(headers);
  return { frames: encoding.frames, ...(subprotocol === undefined ? {} : { subprotocol }) };
}
