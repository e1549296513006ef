// `componentstatuses`, deprecated but listed: the health of a few named components, stored nowhere.
import { encodeJson } from "../api/codec/encode-json.ts";
import { methodNotAllowed, notFound } from "../api/meta/errors.ts";
import type { CachedObject } from "../watchcache/resource-cache.ts";
import { listReply, objectReply, wantedBy } from "./object-reply.ts";
import type { ComponentHealth } from "./parts.ts";
import type { Reply } from "./reply.ts";
import type { ResourceCall } from "./resource-call.ts";

export async function serveComponentStatus({
  server,
  exchange,
  endpoint,
}: ResourceCall): Promise<Reply> {
  const wanted = wantedBy(server, exchange);
  const components = server.parts.components();
  const { verb, name } = exchange.info;
  if (verb === "list") {
    const items = components.map((component) => statusOf(component));
    const list = { items };
    const { cost } = exchange;
    return listReply(server, wanted, { endpoint, list, metadata: {}, cost });
  }
  if (verb !== "get") throw methodNotAllowed();
  const component = components.find((one) => one.name === name);
  if (component === undefined) throw notFound(endpoint.target, name);
  const { bytes } = statusOf(component);
  return objectReply(wanted, { status: 200, kind: endpoint.kind, bytes });
}

function statusOf({ name, healthy, message }: ComponentHealth): CachedObject {
  const condition = healthy
    ? { type: "Healthy", status: "True", message }
    : { type: "Healthy", status: "False", error: message };
  const bytes = encodeJson("core.v1.ComponentStatus", {
    kind: "ComponentStatus",
    apiVersion: "v1",
    metadata: { name },
    conditions: [condition],
  });
  return { key: name, revision: 0, bytes };
}
