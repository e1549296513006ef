// POST to a collection.
import { objectReply, wantedBy } from "../object-reply.ts";
import type { Reply } from "../reply.ts";
import { readObject } from "../request-body.ts";
import { type ResourceCall, storedOf } from "../resource-call.ts";
import { adoptNamespace, writeCall } from "../write-call.ts";
import { readWriteOptions } from "../write-options.ts";

export async function createObject({ server, exchange, endpoint }: ResourceCall): Promise<Reply> {
  const wanted = wantedBy(server, exchange);
  const options = readWriteOptions(exchange.query, "CreateOptions", exchange.userAgent);
  const { fieldValidation } = options;
  const read = await readObject(server, exchange, { kind: endpoint.kind.kind, fieldValidation });
  const object = read();
  const call = writeCall(server, exchange, { endpoint, options });
  adoptNamespace(object, call.namespace);
  const written = await storedOf(endpoint).create(object, call);
  return objectReply(wanted, { status: 201, kind: endpoint.kind, bytes: written.bytes });
}
