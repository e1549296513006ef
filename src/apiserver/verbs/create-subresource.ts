// POST to a subresource that acts on its parent and answers with a Status: pods/binding and pods/eviction, and the older
// `bindings` collection, which names its pod in the body.
import { encodedKind } from "../encode-object.ts";
import { successReply } from "../object-reply.ts";
import type { Reply } from "../reply.ts";
import { readObject } from "../request-body.ts";
import { type ResourceCall, storedOf } from "../resource-call.ts";
import { noSuchResource } from "../../api/meta/errors.ts";
import { adoptNamespace, requireName, writeCall } from "../write-call.ts";
import { readWriteOptions } from "../write-options.ts";

export async function createSubresource(call: ResourceCall): Promise<Reply> {
  const { server, exchange, subresource } = call;
  // `bindings` is pods/binding under another name.
  const endpoint =
    subresource === undefined ? server.endpoints.find("", "v1", "pods") : call.endpoint;
  if (endpoint === undefined) throw noSuchResource();
  const options = readWriteOptions(exchange.query, "CreateOptions", exchange.userAgent);
  const { kind } = subresource === undefined ? call.endpoint.kind : encodedKind(subresource.kind);
  const { fieldValidation } = options;
  const object = (await readObject(server, exchange, { kind, fieldValidation }))();
  const write = writeCall(server, exchange, { endpoint, options });
  adoptNamespace(object, write.namespace);
  const name = exchange.info.named ? exchange.info.name : (object.metadata.name ?? "");
  requireName(object, name);
  const status = await storedOf(endpoint).createSubresource(object, {
    name,
    subresource: subresource?.name ?? "binding",
    ...write,
  });
  return successReply(server, exchange, status);
}
