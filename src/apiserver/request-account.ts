// One request's account with the accountant: opened when its answer begins, closed when the last byte is out. Made apart
// from the exchange, so that an open watch holds its digest and its cost and nothing else of the request.
import type { Accountant } from "../accounting/accountant.ts";
import { type Trail, responseBytesMax } from "../accounting/audit/auditor.ts";
import type { RequestDigest } from "../accounting/request-digest.ts";
import type { RequestCost } from "../api/request-cost.ts";
import type { Clock } from "../host/host.ts";
import type { BodySink, BodyStream, FrameSource } from "../host/http.ts";

import { joinBytes } from "./json-bytes.ts";
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
  readonly trail: Trail | undefined;
  readonly reply: Reply;
  /** clock.monotonic ms of its arrival. */
  readonly startedAt: number;
  readonly longRunning: boolean;
}

/** Of an answer that is whole already, or has no body. A promise: the answer waits for its audit event. */
export function closeAccount(parts: AccountParts, bytesOut: number): Promise<unknown> | undefined {
  const { trail, reply } = parts;
  const { body } = reply;
  if (trail !== undefined && body !== undefined && typeof body !== "function" && isCaught(parts))
    trail.answered(body);
  parts.cost.bytesOut += bytesOut;
  // A watch that is refused has begun to be answered all the same.
  const begun = parts.longRunning ? trail?.started(reply.status) : undefined;
  return begun === undefined ? close(parts) : begun.then(() => close(parts));
}

function close(parts: AccountParts): Promise<unknown> | undefined {
  const { accountant, clock, digest, cost, trail, reply, startedAt } = parts;
  const { status } = reply;
  const latencyMs = clock.monotonic() - startedAt;
  accountant.finished({ digest, cost, status, latencyMs, retryAfterSeconds: retryAfterOf(reply) });
  return trail?.complete(status, cost);
}

/** An answer that streams: counted as it leaves, closed when it ends for whatever reason. */
export function accountedStream(parts: AccountParts, body: BodyStream): BodyStream {
  if (parts.longRunning) return openStream(parts, body);
  return async (sink) => {
    const caught = isCaught(parts) ? new ResponseCatch() : undefined;
    try {
      await body(new CountingSink(sink, parts.cost, caught));
    } finally {
      if (caught?.whole === true) parts.trail?.answered(caught.text);
      const noted = close(parts);
      if (noted !== undefined) await noted;
    }
  };
}

/** Holds no more of the request than its digest and its cost, and the trail where there is one. */
function openStream(
  { accountant, digest, cost, trail, reply: { status } }: AccountParts,
  body: BodyStream,
): BodyStream {
  const close = accountant.opened({ digest, cost, status });
  const noted = trail?.started(status);
  return async (sink) => {
    try {
      if (noted !== undefined) await noted;
      await body(new CountingSink(sink, cost, undefined));
    } finally {
      close();
      const completed = trail?.complete(status, cost);
      if (completed !== undefined) await completed;
    }
  };
}

function isCaught({ trail, reply }: AccountParts): boolean {
  return trail?.wantsResponse === true && reply.contentType.startsWith("application/json");
}

/** A copy of a streamed answer for the audit log, given up when it grows too long. */
class ResponseCatch {
  whole = true;
  #parts: Uint8Array[] = [];
  #bytes = 0;

  add(chunk: Uint8Array): void {
    this.#bytes += chunk.length;
    if (this.#bytes > responseBytesMax) {
      this.whole = false;
      this.#parts = [];
    }
    if (this.whole) this.#parts.push(chunk.slice());
  }

  get text(): Uint8Array {
    return joinBytes(this.#parts);
  }
}

class CountingSink implements BodySink {
  declare readonly incoming?: FrameSource;
  readonly #sink: BodySink;
  readonly #cost: RequestCost;
  readonly #caught: ResponseCatch | undefined;

  constructor(sink: BodySink, cost: RequestCost, caught: ResponseCatch | undefined) {
    if (sink.incoming !== undefined) this.incoming = sink.incoming;
    this.#sink = sink;
    this.#cost = cost;
    this.#caught = caught;
  }

  get signal(): BodySink["signal"] {
    return this.#sink.signal;
  }

  write(chunk: Uint8Array): Promise<void> {
    this.#cost.bytesOut += chunk.length;
    this.#caught?.add(chunk);
    return this.#sink.write(chunk);
  }
}

/** Looked for only in refusals. */
function retryAfterOf({ status, headers }: Reply): number {
  if (status !== 429) return 0;
  const asked = headers?.find(([name]) => name === "retry-after")?.[1];
  return asked === undefined ? 1 : Number(asked);
}
