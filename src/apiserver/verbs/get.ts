// GET of one object: its stored bytes, untouched for programs that take JSON.
import { encodedKind } from "../encode-object.ts";
import { objectReply, wantedBy } from "../object-reply.ts";
import type { Reply } from "../reply.ts";
import { type ResourceCall, storedOf } from "../resource-call.ts";
import { namespaceOf } from "../write-call.ts";

export async function getObject({
  server,
  exchange,
  endpoint,
  subresource,
}: ResourceCall): Promise<Reply> {
  const wanted = wantedBy(server, exchange);
  const { info, query } = exchange;
  const version = query.first("resourceVersion") ?? "";
  const registry = storedOf(endpoint);
  const namespace = namespaceOf(endpoint, exchange);
  if (subresource?.name === "scale") {
    const scale = await registry.getScale(namespace, info.name, version);
    const kind = encodedKind(subresource.kind);
    return objectReply(wanted, { status: 200, kind, bytes: scale.bytes });
  }
  const object = await registry.get(namespace, info.name, version);
  return objectReply(wanted, { status: 200, kind: endpoint.kind, bytes: object.bytes });
}
