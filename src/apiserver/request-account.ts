// One request's account with the accountant: opened when its answer begins, closed when the last byte is out. Made apart
// from the exchange, so that an open watch holds its digest and its cost and nothing else of the request.
import type { Accountant } from "../accounting/accountant.ts";
import type { RequestDigest } from "../accounting/request-digest.ts";
import type { RequestCost } from "../api/request-cost.ts";
import type { Clock } from "../host/host.ts";
import type { BodySink, BodyStream, FrameSource } from "../host/http.ts";
import type { Exchange } from "./exchange.ts";
import type { Reply } from "./reply.ts";

export function digestOf(exchange: Exchange): RequestDigest {
  const { request, info, query, user, auditId, userAgent, flow } = exchange;
  const selects = info.verb === "list" || info.verb === "watch" || info.verb === "deletecollection";
  const asked = (name: string): string => (selects ? (query.first(name) ?? "") : "");
  return {
    auditId,
    user,
    userAgent,
    source: request.peer.address,
    isResource: info.isResource,
    verb: info.verb,
    group: info.group,
    version: info.version,
    resource: info.resource,
    subresource: info.subresource,
    namespace: info.namespace,
    name: info.name,
    path: info.isResource ? "" : info.path,
    labelSelector: asked("labelSelector"),
    fieldSelector: asked("fieldSelector"),
    resourceVersion: query.first("resourceVersion") ?? "",
    resourceVersionMatch: asked("resourceVersionMatch"),
    limit: asked("limit"),
    continue: asked("continue"),
    dryRun: exchange.dryRun,
    flowSchema: flow?.schema ?? "",
    priorityLevel: flow?.level ?? "",
  };
}

export interface AccountParts {
  readonly accountant: Accountant;
  readonly clock: Clock;
  readonly digest: RequestDigest;
  readonly cost: RequestCost;
  readonly status: number;
  readonly retryAfterSeconds: number;
  /** clock.monotonic ms of its arrival. */
  readonly startedAt: number;
}

/** An answer that is whole already. */
export function closeAccount(parts: AccountParts, bytesOut: number): void {
  const { accountant, clock, digest, cost, status, retryAfterSeconds, startedAt } = parts;
  cost.bytesOut += bytesOut;
  const latencyMs = clock.monotonic() - startedAt;
  accountant.finished({ digest, cost, status, latencyMs, retryAfterSeconds });
}

/** An answer that streams: counted as it leaves, closed when it ends for whatever reason. */
export function accountedStream(
  parts: AccountParts & { readonly longRunning: boolean },
  body: BodyStream,
): BodyStream {
  const { accountant, digest, cost, status, longRunning } = parts;
  const close = longRunning ? accountant.opened({ digest, cost, status }) : undefined;
  return async (sink) => {
    try {
      await body(new CountingSink(sink, cost));
    } finally {
      if (close === undefined) closeAccount(parts, 0);
      else close();
    }
  };
}

class CountingSink implements BodySink {
  readonly signal: BodySink["signal"];
  declare readonly incoming?: FrameSource;
  readonly #sink: BodySink;
  readonly #cost: RequestCost;

  constructor(sink: BodySink, cost: RequestCost) {
    this.signal = sink.signal;
    if (sink.incoming !== undefined) this.incoming = sink.incoming;
    this.#sink = sink;
    this.#cost = cost;
  }

  write(chunk: Uint8Array): Promise<void> {
    this.#cost.bytesOut += chunk.length;
    return this.#sink.write(chunk);
  }
}

/** Looked for only in refusals. */
export function retryAfterOf({ status, headers }: Reply): number {
  if (status !== 429) return 0;
  const asked = headers?.find(([name]) => name === "retry-after")?.[1];
  return asked === undefined ? 1 : Number(asked);
}
