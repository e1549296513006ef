// Where a request meets the audit log: its trail begins once it is known who asks, and before anybody is impersonated.
import type { AuditedRequest } from "../accounting/audit/auditor.ts";
import { internalError, StatusError } from "../api/meta/errors.ts";
import type { Exchange } from "./exchange.ts";
import type { ServerState } from "./server-state.ts";

/** Throws or rejects with 500 when the event must be kept and cannot. A promise where that takes time. */
export function beginTrail(server: ServerState, exchange: Exchange): Promise<void> | undefined {
  const { auditor } = server.parts;
  if (auditor === undefined) return undefined;
  exchange.trail = auditor.begin(auditedRequest(exchange));
  const kept = exchange.trail?.received() ?? true;
  if (kept instanceof Promise) return waited(server, exchange, kept);
  requireKept(exchange, kept);
  return undefined;
}

async function waited(
  { host: { clock } }: ServerState,
  exchange: Exchange,
  kept: Promise<boolean>,
): Promise<void> {
  exchange.cost.suspend(clock.monotonic());
  const wasKept = await kept;
  exchange.cost.resume(clock.monotonic());
  requireKept(exchange, wasKept);
}

function requireKept(exchange: Exchange, kept: boolean): void {
  if (kept) return;
  exchange.trail = undefined;
  throw internalError("failed to store audit event");
}

/** Nobody is asking, so no rule about users fits; the one event says that they were turned away. */
export function auditStranger(server: ServerState, exchange: Exchange, thrown: unknown): void {
  if (!(thrown instanceof StatusError) || thrown.code !== 401) return;
  const trail = server.parts.auditor?.begin(auditedRequest(exchange));
  if (trail === undefined) return;
  trail.answeredStatus(thrown.status);
  if (trail.wantsResponse) {
    trail.answered(
      JSON.stringify({ kind: "Status", apiVersion: "v1", metadata: {}, ...thrown.status }),
    );
  }
  void trail.started(401);
}

function auditedRequest({ request, info, user, auditId, userAgent }: Exchange): AuditedRequest {
  const { isResource, path, verb, group, version, resource, subresource, namespace, name } = info;
  return {
    user,
    verb,
    isResource,
    group,
    version,
    resource,
    subresource,
    namespace,
    name,
    path,
    auditId,
    userAgent,
    requestUri: request.target,
    sourceIps: sourceIps(request.headers, request.peer.address),
  };
}

/** What proxies say, then the connection's own end (upstream: util/net.SourceIPs). */
function sourceIps(
  headers: Readonly<Record<string, string | undefined>>,
  peer: string,
): readonly string[] {
  const forwarded = headers["x-forwarded-for"];
  const real = headers["x-real-ip"];
  if (forwarded === undefined && real === undefined) return [peer];
  const ips = (forwarded ?? "")
    .split(",")
    .map((ip) => ip.trim())
    .filter((ip) => ip !== "");
  if (real !== undefined && !ips.includes(real)) ips.push(real);
  return ips.at(-1) === peer ? ips : [...ips, peer];
}
