// PUT of an object or one of its subresources.
import { forbiddenRequest } from "../../access/forbidden.ts";
import type { KubeObject } from "../../api/object.ts";
import { attributesOf } from "../attributes.ts";
import { encodedKind } from "../encode-object.ts";
import type { Exchange } from "../exchange.ts";
import { objectReply, wantedBy } from "../object-reply.ts";
import type { Reply } from "../reply.ts";
import { readObject } from "../request-body.ts";
import { type ResourceCall, storedOf } from "../resource-call.ts";
import type { ServerState } from "../server-state.ts";
import { adoptNamespace, requireName, writeCall } from "../write-call.ts";
import { readWriteOptions } from "../write-options.ts";

export async function updateObject({
  server,
  exchange,
  endpoint,
  subresource,
}: ResourceCall): Promise<Reply> {
  const wanted = wantedBy(server, exchange);
  const { name } = exchange.info;
  const options = readWriteOptions(exchange.query, "UpdateOptions", exchange.userAgent);
  const kind = subresource === undefined ? endpoint.kind : encodedKind(subresource.kind);
  const { fieldValidation } = options;
  const read = await readObject(server, exchange, { kind: kind.kind, fieldValidation });
  const call = writeCall(server, exchange, { endpoint, options });
  const sent = (): KubeObject => {
    const object = read();
    requireName(object, name);
    adoptNamespace(object, call.namespace);
    return object;
  };
  // Checked before the registry looks anything up, as upstream does.
  let first: KubeObject | undefined = sent();
  const written = await storedOf(endpoint).update({
    name,
    subresource: subresource?.name ?? "",
    kind: kind.kind,
    mayCreate: true,
    authorizeCreate: () => authorizeCreate(server, exchange),
    change: () => {
      const object = first ?? sent();
      first = undefined;
      return object;
    },
    ...call,
  });
  return objectReply(wanted, { status: written.created ? 201 : 200, kind, bytes: written.bytes });
}

/** A PUT that would create needs the right to create as well. */
async function authorizeCreate(server: ServerState, exchange: Exchange): Promise<void> {
  const attributes = { ...attributesOf(exchange), verb: "create" };
  const decision = await server.parts.authorizer.authorize(attributes);
  if (!decision.allowed) throw forbiddenRequest(attributes, decision.reason);
}
