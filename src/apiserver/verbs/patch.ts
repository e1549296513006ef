// PATCH of an object or one of its subresources: JSON patch, merge patch, strategic merge patch.
import { notFound } from "../../api/meta/errors.ts";
import { encodedKind } from "../encode-object.ts";
import { objectReply, wantedBy } from "../object-reply.ts";
import { readPatch } from "../patch-document.ts";
import type { Reply } from "../reply.ts";
import { readWhole } from "../request-body.ts";
import { type ResourceCall, storedOf } from "../resource-call.ts";
import { requireName, writeCall } from "../write-call.ts";
import { readWriteOptions } from "../write-options.ts";

export async function patchObject({
  server,
  exchange,
  endpoint,
  subresource,
}: ResourceCall): Promise<Reply> {
  const wanted = wantedBy(server, exchange);
  const contentType = exchange.request.headers["content-type"];
  const options = readWriteOptions(exchange.query, "PatchOptions", exchange.userAgent);
  const kind = subresource === undefined ? endpoint.kind : encodedKind(subresource.kind);
  const { fieldValidation } = options;
  const reading = readWhole(server, exchange);
  const body = reading instanceof Promise ? await reading : reading;
  exchange.trail?.sentPatch(body);
  const patch = readPatch(body, { contentType, kind, fieldValidation, warn: exchange.warn });
  const { name } = exchange.info;
  const written = await storedOf(endpoint).update({
    name,
    subresource: subresource?.name ?? "",
    kind: kind.kind,
    mayCreate: false,
    authorizeCreate: async () => undefined,
    change: (current) => {
      if (current === undefined) throw notFound(endpoint.target, name);
      const patched = patch(current());
      requireName(patched, name);
      return patched;
    },
    ...writeCall(server, exchange, { endpoint, options }),
  });
  return objectReply(wanted, { status: 200, kind, bytes: written.bytes });
}
