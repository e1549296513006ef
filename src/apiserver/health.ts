// `/healthz`, `/livez`, `/readyz` and their single checks. Failures go to the log by name; clients only learn that
// something failed.
import type { Log } from "../host/host.ts";
import type { HealthCheck } from "./parts.ts";
import type { Query } from "./query.ts";
import { type Reply, plainError, textReply } from "./reply.ts";

export type HealthEndpoint = "healthz" | "livez" | "readyz";

export interface HealthRequest {
  readonly endpoint: HealthEndpoint;
  /** A single check: `/livez/ping`; "" for all. */
  readonly check: string;
  readonly query: Query;
}

/** Undefined when there is no such check. */
export async function healthReply(
  log: Log,
  checks: readonly HealthCheck[],
  request: HealthRequest,
): Promise<Reply | undefined> {
  const asked = checksOf(checks, request.endpoint);
  if (request.check === "") return allChecks(log, asked, request);
  const single = asked.find(({ name }) => name === request.check);
  if (single === undefined) return undefined;
  const failure = await single.check();
  if (failure === undefined) return okReply("ok");
  return plainError(500, `internal server error: ${failure}`);
}

function checksOf(checks: readonly HealthCheck[], endpoint: HealthEndpoint): HealthCheck[] {
  // healthz is the old name of livez.
  const on = endpoint === "readyz" ? "readyz" : "livez";
  return checks.filter((check) => check.on.includes(on));
}

async function allChecks(
  log: Log,
  checks: readonly HealthCheck[],
  { endpoint, query }: HealthRequest,
): Promise<Reply> {
  const excluded = new Set(query.all("exclude"));
  const lines: string[] = [];
  const failed: string[] = [];
  for (const check of checks) {
    const { name } = check;
    if (excluded.delete(name)) {
      lines.push(`[+]${name} excluded: ok`);
      continue;
    }
    const failure = await check.check();
    if (failure === undefined) lines.push(`[+]${name} ok`);
    else {
      failed.push(name);
      lines.push(`[-]${name} failed: reason withheld`);
      log.warn("health check failed", { endpoint, check: name, reason: failure });
    }
  }
  if (excluded.size > 0) {
    const names = [...excluded].map((name) => JSON.stringify(name)).join(", ");
    lines.push(`warn: some health checks cannot be excluded: no matches for ${names}`);
  }
  if (failed.length > 0) return plainError(500, `${lines.join("\n")}\n${endpoint} check failed`);
  if (query.first("verbose") === undefined) return okReply("ok");
  return okReply(`${lines.join("\n")}\n${endpoint} check passed\n`);
}

function okReply(body: string): Reply {
  return { ...textReply(200, body), headers: [["x-content-type-options", "nosniff"]] };
}
