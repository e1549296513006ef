// Where a request meets flow control: what it is becomes a digest, and what comes of it a seat or Kubernetes' 429.
import { type ListOptions, readListOptions } from "../api/meta/list-options.ts";
import type { Admission, FlowAnswer } from "../flowcontrol/flow-pass.ts";
import type { RequestDigest } from "../flowcontrol/request-digest.ts";
import type { ClientSignal } from "../host/http.ts";
import type { Exchange } from "./exchange.ts";
import { type Reply, plainError } from "./reply.ts";
import { isLongRunning } from "./request-info.ts";
import type { ServerState } from "./server-state.ts";

/** Waits for a seat where that is needed. The answer when there is none. */
export function takeSeat(
  server: ServerState,
  exchange: Exchange,
): Reply | undefined | Promise<Reply | undefined> {
  const { info } = exchange;
  // Other long-running requests hold connections, not processors.
  if (info.verb !== "watch" && isLongRunning(info)) return undefined;
  const entered = server.parts.gate.enter(new ExchangeAdmission(exchange));
  if (!(entered instanceof Promise)) return seated(server, exchange, entered);
  const { clock } = server.host;
  exchange.cost.suspend(clock.monotonic());
  return entered.then((answer) => {
    exchange.cost.resume(clock.monotonic());
    return seated(server, exchange, answer);
  });
}

function seated(server: ServerState, exchange: Exchange, answer: FlowAnswer): Reply | undefined {
  const { info, cost } = exchange;
  exchange.flow = answer;
  if (answer.kind === "Refused") {
    server.requestMetrics.terminated(info, 429);
    return tooManyRequests(answer.retryAfterSeconds);
  }
  exchange.pass = answer;
  cost.seats = answer.seats;
  cost.queueWaitMs = answer.waitedMs;
  return undefined;
}

/** None where there are no FlowSchemas. */
export function flowHeaders({ flow }: Exchange): readonly (readonly [string, string])[] {
  if (flow === undefined || flow.schemaUid === "") return none;
  return [
    ["x-kubernetes-pf-flowschema-uid", flow.schemaUid],
    ["x-kubernetes-pf-prioritylevel-uid", flow.levelUid],
  ];
}

const none: readonly (readonly [string, string])[] = [];

function tooManyRequests(retryAfterSeconds: number): Reply {
  const reply = plainError(429, "Too many requests, please try again later.");
  return {
    ...reply,
    headers: [...(reply.headers ?? []), ["retry-after", String(retryAfterSeconds)]],
  };
}

class ExchangeAdmission implements Admission {
  readonly digest: RequestDigest;
  readonly timeoutMs: number | undefined;
  readonly #exchange: Exchange;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
    this.timeoutMs = exchange.timeoutMs;
    this.digest = digestOf(exchange);
  }

  listOptions(): ListOptions | undefined {
    try {
      return readListOptions(this.#exchange.query);
    } catch {
      return undefined;
    }
  }

  signal(): ClientSignal {
    return this.#exchange.request.signal;
  }
}

function digestOf({ info, user }: Exchange): RequestDigest {
  const { isResource, path, verb, group, version, resource, subresource, namespace, name } = info;
  return { user, isResource, path, verb, group, version, resource, subresource, namespace, name };
}
