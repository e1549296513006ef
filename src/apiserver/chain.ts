// A request's way through the server, in running order: the answer of the first step that has one is sent. Everything
// thrown on the way becomes a Status here and nowhere else.
import { type HttpRequest, BodyAbortedError, BodyTooLargeError } from "../host/http.ts";
import {
  badRequest,
  requestEntityTooLarge,
  serviceUnavailable,
  StatusError,
  timeout,
} from "../api/meta/errors.ts";
import { DecodeError } from "../api/codec/decode-error.ts";
import { parseDuration } from "../api/codec/time.ts";
import type { UserInfo } from "../api/user-info.ts";
import { forbiddenRequest } from "../access/forbidden.ts";
import { auditStranger, beginTrail } from "./audit-trail.ts";
import { attributesOf } from "./attributes.ts";
import { serveResource } from "./dispatch-resource.ts";
import type { Exchange } from "./exchange.ts";
import { takeSeat } from "./flow-gate.ts";
import { wantsPretty } from "./negotiation.ts";
import { serveNonResource } from "./non-resource.ts";
import { type Reply, errorReply, plainError, textReply } from "./reply.ts";
import type { RequestInfo } from "./request-info.ts";
import type { ServerState } from "./server-state.ts";
import { socketToken } from "./web-socket.ts";

/** From authentication to the handler; never rejects. Audit id, request info and deadline are server.ts's. */
export async function runChain(server: ServerState, exchange: Exchange): Promise<Reply> {
  try {
    refuseWhileDraining(server, exchange.info);
    // What needs not wait does not: a promise each would cost more than the steps themselves.
    const user = authenticate(server, exchange);
    exchange.user = user instanceof Promise ? await user : user;
    const noted = beginTrail(server, exchange);
    if (noted !== undefined) await noted;
    if (impersonates(exchange)) await impersonate(server, exchange);
    const taken = takeSeat(server, exchange);
    const refused = taken instanceof Promise ? await taken : taken;
    if (refused !== undefined) return refused;
    const receiving = server.parts.labour.receive();
    if (receiving !== undefined) await stillWanted(receiving, exchange);
    const attributes = attributesOf(exchange);
    const decided = server.parts.authorizer.authorize(attributes);
    const decision = decided instanceof Promise ? await decided : decided;
    exchange.trail?.annotations
      .set("authorization.k8s.io/decision", decision.allowed ? "allow" : "forbid")
      .set("authorization.k8s.io/reason", decision.reason);
    if (!decision.allowed) throw forbiddenRequest(attributes, decision.reason);
    const reply = exchange.info.isResource
      ? await serveResource(server, exchange)
      : await serveNonResource(server, exchange);
    const spending = server.parts.labour.spend(exchange.cost);
    if (spending !== undefined) await spending;
    return reply;
  } catch (error) {
    return refusal(server, exchange, error);
  }
}

/** Whoever left while their request waited for a core is not worked for. */
async function stillWanted(receiving: Promise<void>, { request }: Exchange): Promise<void> {
  await receiving;
  if (request.signal.aborted) throw new BodyAbortedError();
}

const probes: ReadonlySet<string> = new Set(["/healthz", "/livez", "/readyz"]);

/** Probes still get their answers, so that whoever watches us sees why. */
function refuseWhileDraining(server: ServerState, info: RequestInfo): void {
  if (!server.inFlight.draining) return;
  if (!info.isResource && probes.has(`/${info.path.split("/")[1] ?? ""}`)) return;
  throw serviceUnavailable("apiserver is shutting down", 1);
}

function authenticate(server: ServerState, exchange: Exchange): UserInfo | Promise<UserInfo> {
  const { peer, headers } = exchange.request;
  const authorization = headers["authorization"] ?? socketToken(headers["sec-websocket-protocol"]);
  const stranger = (error: unknown): never => {
    auditStranger(server, exchange, error);
    throw error;
  };
  try {
    const user = server.parts.authenticator.authenticate({ peer, authorization });
    return user instanceof Promise ? user.catch(stranger) : user;
  } catch (error) {
    return stranger(error);
  }
}

function impersonates({ request: { headers } }: Exchange): boolean {
  for (const name in headers) if (name.startsWith("impersonate-")) return true;
  return false;
}

async function impersonate({ parts }: ServerState, exchange: Exchange): Promise<void> {
  const attributes = attributesOf(exchange);
  exchange.user = await parts.impersonator.impersonate(attributes, exchange.request);
  exchange.trail?.impersonated(exchange.user);
}

/** Milliseconds the request may take: `?timeout` shortens, never lengthens. Throws 400. */
export function timeoutOf(exchange: Exchange, usualMs: number): number {
  const asked = exchange.query.first("timeout");
  if (asked === undefined || asked === "") return usualMs;
  const ms = durationMs(asked);
  return ms <= 0 ? usualMs : Math.min(ms, usualMs);
}

function durationMs(text: string): number {
  try {
    return Number(parseDuration(text)) / 1e6;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw badRequest(`invalid timeout specified in the request URL - ${error.message}`);
  }
}

export function timedOut(server: ServerState, exchange: Exchange): Reply {
  server.requestMetrics.terminated(exchange.info, 504);
  const error = timeout("request did not complete within the allotted timeout");
  return refusal(server, exchange, error);
}

/** The answer to anything thrown. */
export function refusal(server: ServerState, exchange: Exchange, thrown: unknown): Reply {
  const { query, accept } = exchange;
  const pretty = wantsPretty(query.first("pretty"), exchange.userAgent);
  const negotiated = server.plainNegotiator.find(accept);
  if (thrown instanceof StatusError) {
    exchange.trail?.answeredStatus(thrown.status);
    return errorReply(thrown, negotiated, pretty);
  }
  if (thrown instanceof BodyTooLargeError) {
    const limit = server.parts.options.bodyBytesMax;
    return errorReply(requestEntityTooLarge(`limit is ${limit}`), negotiated, pretty);
  }
  // Whoever left in the middle of a body is no fault of ours; nobody reads this.
  if (thrown instanceof BodyAbortedError)
    return errorReply(badRequest("unexpected EOF"), negotiated, pretty);
  exchange.trail?.panicked(String(thrown));
  return panicReply(server, exchange.request, thrown);
}

export function panicReply(server: ServerState, request: HttpRequest, thrown: unknown): Reply {
  const error = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  server.host.log.error("request failed", {
    method: request.method,
    target: request.target,
    error,
  });
  return plainError(500, "This request caused apiserver to panic. Look in the logs for details.");
}

export function malformedReply(request: HttpRequest, why: string): Reply {
  return textReply(
    500,
    `Internal Server Error: ${JSON.stringify(request.target)}: failed to create RequestInfo: ${why}\n`,
  );
}
