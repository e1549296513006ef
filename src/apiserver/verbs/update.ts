// PUT of an object or one of its subresources.
import { forbiddenRequest } from "../../access/forbidden.ts";
import type { KubeObject } from "../../api/object.ts";
import { attributesOf } from "../attributes.ts";
import type { Exchange } from "../exchange.ts";
import { objectReply, wantedBy } from "../object-reply.ts";
import type { Reply } from "../reply.ts";
import { readObject } from "../request-body.ts";
import { type ResourceCall, storedOf } from "../resource-call.ts";
import { scaleBytes, withScale } from "../scale.ts";
import type { ServerState } from "../server-state.ts";
import { adoptNamespace, requireName, writeCall } from "../write-call.ts";
import { readWriteOptions } from "../write-options.ts";
import { notFound } from "../../api/meta/errors.ts";

export async function updateObject(at: ResourceCall): Promise<Reply> {
  const { server, exchange, endpoint, subresource } = at;
  const wanted = wantedBy(server, exchange);
  const { name } = exchange.info;
  const options = readWriteOptions(exchange.query, "UpdateOptions", exchange.userAgent);
  const kind = subresource?.kind ?? endpoint.kind.kind;
  const { fieldValidation } = options;
  const read = await readObject(server, exchange, { kind, fieldValidation });
  const call = writeCall(server, exchange, { endpoint, options });
  const isScale = subresource?.name === "scale";
  const sent = (): KubeObject => {
    const object = read();
    requireName(object, name);
    adoptNamespace(object, call.namespace);
    return object;
  };
  // Checked before the registry looks anything up, as upstream does.
  let first: KubeObject | undefined = sent();
  const written = await storedOf(endpoint).update({
    ...call,
    name,
    subresource: subresource?.name ?? "",
    kind,
    mayCreate: subresource === undefined,
    authorizeCreate: () => authorizeCreate(server, exchange),
    change: (current) => {
      const object = first ?? sent();
      first = undefined;
      if (!isScale) return object;
      if (current === undefined) throw notFound(endpoint.target, name);
      return withScale(current, object);
    },
  });
  const status = written.created ? 201 : 200;
  if (isScale) return objectReply(wanted, { status, ...scaleBytes(written.bytes) });
  return objectReply(wanted, { status, kind: endpoint.kind, bytes: written.bytes });
}

/** A PUT that would create needs the right to create as well. */
async function authorizeCreate(server: ServerState, exchange: Exchange): Promise<void> {
  const attributes = { ...attributesOf(exchange), verb: "create" };
  const decision = await server.parts.authorizer.authorize(attributes);
  if (!decision.allowed) throw forbiddenRequest(attributes, decision.reason);
}
