// GET of one object: its stored bytes, untouched for programs that take JSON.
import { storedOf, type ResourceCall } from "../resource-call.ts";
import { objectReply, wantedBy } from "../object-reply.ts";
import type { Reply } from "../reply.ts";
import { scaleBytes } from "../scale.ts";
import { namespaceOf } from "../write-call.ts";

export async function getObject({
  server,
  exchange,
  endpoint,
  subresource,
}: ResourceCall): Promise<Reply> {
  const wanted = wantedBy(server, exchange);
  const { info, query } = exchange;
  const version = query.raw === "" ? "" : (query.first("resourceVersion") ?? "");
  const registry = storedOf(endpoint);
  const object = await registry.get(namespaceOf(endpoint, exchange), info.name, version);
  if (subresource?.name === "scale")
    return objectReply(wanted, { status: 200, ...scaleBytes(object.bytes) });
  return objectReply(wanted, { status: 200, kind: endpoint.kind, bytes: object.bytes });
}
