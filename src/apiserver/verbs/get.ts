// GET of one object: its stored bytes, untouched for programs that take JSON.
import type { ObjectRead } from "../../registry/registry.ts";
import type { CachedObject } from "../../watchcache/resource-cache.ts";
import { encodedKind } from "../encode-object.ts";
import type { Exchange } from "../exchange.ts";
import { objectReply, wantedBy } from "../object-reply.ts";
import type { Reply } from "../reply.ts";
import { type ResourceCall, storedOf } from "../resource-call.ts";
import type { ServerState } from "../server-state.ts";
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
    const scale = await chargedRead(server, exchange, () =>
      registry.getScale(namespace, info.name, version),
    );
    const kind = encodedKind(subresource.kind);
    return objectReply(wanted, { status: 200, kind, bytes: scale.bytes });
  }
  const object = await chargedRead(server, exchange, () =>
    registry.get(namespace, info.name, version),
  );
  return objectReply(wanted, { status: 200, kind: endpoint.kind, bytes: object.bytes });
}

/** While the cache waits to be fresh the loop is others'; what it worked comes with the answer. */
async function chargedRead(
  { host: { clock } }: ServerState,
  { cost }: Exchange,
  read: () => Promise<ObjectRead>,
): Promise<CachedObject> {
  cost.suspend(clock.monotonic());
  const found = await read();
  cost.resume(clock.monotonic());
  cost.addRead(found.cost);
  return found.object;
}
