// Everything that is no Kubernetes resource: discovery, health, version, metrics, OpenAPI, token keys, the list of paths.
import { type Reply, bytesReply, documentReply, plainError, textReply } from "./reply.ts";
import { type HealthEndpoint, healthReply } from "./health.ts";
import type { Exchange } from "./exchange.ts";
import { methodNotAllowed, noSuchResource } from "../api/meta/errors.ts";
import { plainOffer, negotiate, contentTypeOf, mediaTypesOnly } from "./negotiation.ts";
import type { ServerState } from "./server-state.ts";
import type { HealthCheck } from "./parts.ts";

export async function serveNonResource(server: ServerState, exchange: Exchange): Promise<Reply> {
  const path = withoutTrailingSlash(exchange.info.path);
  const verb = exchange.info.verb;
  const reply = await findReply(server, exchange, path);
  if (reply === undefined) return unknownPath(server, path);
  if (verb !== "get" && verb !== "head") throw methodNotAllowed();
  return reply;
}

async function findReply(
  server: ServerState,
  exchange: Exchange,
  path: string,
): Promise<Reply | undefined> {
  if (path === "/api" || path === "/apis" || path.startsWith("/api/") || path.startsWith("/apis/"))
    return discoveryReply(server, exchange, path);
  if (path === "/openapi/v2" || path === "/openapi/v3" || path.startsWith("/openapi/v3/"))
    return server.openApi.answer({
      path,
      query: exchange.query,
      accept: exchange.accept,
      ifNoneMatch: exchange.request.headers["if-none-match"],
    });
  const health = /^\/(healthz|livez|readyz)(?:\/(.+))?$/.exec(path);
  if (health !== null)
    return healthReply(server.host.log, healthChecks(server), {
      endpoint: health[1] as HealthEndpoint,
      check: health[2] ?? "",
      query: exchange.query,
    });
  if (path === ledgerPath) return ledgerReply(server, exchange);
  const page = server.parts.debugPages.find((one) => one.path === path);
  if (page !== undefined)
    return textReply(
      200,
      page.text((name) => exchange.query.first(name)),
    );
  return fixedReply(server, path);
}

const ledgerPath = "/debug/wavetank/ledger";
const ledgerRowsUsual = 200;
const ledgerRowsMax = 10_000;

/** The costs of requests, by client and kind. */
function ledgerReply(server: ServerState, { query }: Exchange): Reply | undefined {
  const { ledger } = server.parts;
  if (ledger === undefined) return undefined;
  const asked = query.integer("limit") ?? ledgerRowsUsual;
  const document = ledger(Math.min(Math.max(asked, 0), ledgerRowsMax));
  return { status: 200, contentType: "application/json", body: JSON.stringify(document) };
}

function fixedReply(server: ServerState, path: string): Reply | undefined {
  switch (path) {
    case "":
      return documentReply({ paths: pathIndex(server) });
    case "/version":
      return documentReply(server.parts.version);
    case "/metrics": {
      const text = server.metrics.text();
      return { status: 200, contentType: "text/plain; version=0.0.4; charset=utf-8", body: text };
    }
    case "/.well-known/openid-configuration":
      return keyDocument(server.parts.tokenKeys.configuration(), "application/json");
    case "/openid/v1/jwks":
      return keyDocument(server.parts.tokenKeys.keys(), "application/jwk-set+json");
    default:
      return undefined;
  }
}

function keyDocument(document: object, contentType: string): Reply {
  return {
    status: 200,
    contentType,
    body: JSON.stringify(document),
    headers: [["cache-control", "public, max-age=3600"]],
  };
}

function discoveryReply(server: ServerState, exchange: Exchange, path: string): Reply | undefined {
  const { accept } = exchange;
  const document = server.discovery.find(path, accept);
  if (document === undefined) return undefined;
  const reply = bytesReply(200, document.contentType, document.bytes);
  if (document.etag === undefined) {
    requireJson(accept);
    return reply;
  }
  const headers = [
    ["etag", document.etag],
    ["vary", "Accept"],
    ["cache-control", "public"],
  ] as const;
  if (exchange.request.headers["if-none-match"] === document.etag)
    return { status: 304, contentType: "", body: undefined, headers };
  return { ...reply, headers };
}

/** Legacy discovery is JSON here; a client that accepts nothing else is told so. */
function requireJson(accept: string | undefined): void {
  if (negotiate(accept, { ...plainOffer, media: ["json"] }) === undefined)
    throw mediaTypesOnly(plainOffer.media.map((media) => contentTypeOf[media]));
}

/** Inside a served group errors are Statuses; elsewhere nobody speaks Kubernetes. */
function unknownPath(server: ServerState, path: string): Reply {
  const [, root, group = ""] = path.split("/");
  if (root === "api") throw noSuchResource();
  if (root === "apis" && server.endpoints.servesGroup(group)) throw noSuchResource();
  return plainError(404, "404 page not found");
}

function withoutTrailingSlash(path: string): string {
  return path.endsWith("/") ? path.slice(0, -1) : path;
}

/** The server's own checks, then what the parts add. */
function healthChecks(server: ServerState): readonly HealthCheck[] {
  return [
    { name: "ping", on: ["livez", "readyz"], check: healthy },
    { name: "log", on: ["livez", "readyz"], check: healthy },
    ...server.parts.healthChecks,
    {
      name: "shutdown",
      on: ["readyz"],
      check: async () => (server.inFlight.draining ? "process is shutting down" : undefined),
    },
  ];
}

const healthy = async (): Promise<string | undefined> => undefined;

function pathIndex(server: ServerState): string[] {
  const paths = new Set([
    "/.well-known/openid-configuration",
    "/api",
    "/apis",
    "/apis/",
    ...(server.parts.ledger === undefined ? [] : [ledgerPath]),
    "/healthz",
    "/livez",
    "/metrics",
    "/openapi/v2",
    "/openapi/v3",
    "/openapi/v3/",
    "/openid/v1/jwks",
    "/readyz",
    "/version",
  ]);
  for (const { resource } of server.endpoints.all) {
    if (resource.group === "") paths.add(`/api/${resource.version}`);
    else {
      paths.add(`/apis/${resource.group}`);
      paths.add(`/apis/${resource.group}/${resource.version}`);
    }
  }
  for (const check of healthChecks(server)) {
    if (check.on.includes("livez")) paths.add(`/livez/${check.name}`).add(`/healthz/${check.name}`);
    if (check.on.includes("readyz")) paths.add(`/readyz/${check.name}`);
  }
  return [...paths].sort();
}
