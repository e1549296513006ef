// POSTs that compute an answer and store nothing: access reviews, token reviews, token requests.
import type { KubeObject } from "../../api/object.ts";
import { encodeJson } from "../../api/codec/encode-json.ts";
import { noSuchResource } from "../../api/meta/errors.ts";
import { encodedKind } from "../encode-object.ts";
import { objectReply, wantedBy } from "../object-reply.ts";
import type { Reply } from "../reply.ts";
import { readObject } from "../request-body.ts";
import type { ResourceCall } from "../resource-call.ts";
import { adoptNamespace, namespaceOf } from "../write-call.ts";
import { readWriteOptions } from "../write-options.ts";

export async function createReview({
  server,
  exchange,
  endpoint,
  subresource,
}: ResourceCall): Promise<Reply> {
  const { group, resource } = endpoint.target;
  const path = subresource === undefined ? resource : `${resource}/${subresource.name}`;
  const review = server.parts.reviews.find(group, path);
  if (review === undefined) throw noSuchResource();
  const wanted = wantedBy(server, exchange);
  const options = readWriteOptions(exchange.query, "CreateOptions", exchange.userAgent);
  exchange.dryRun = options.dryRun;
  const kind = subresource === undefined ? endpoint.kind : encodedKind(subresource.kind);
  const { fieldValidation } = options;
  const object = (await readObject(server, exchange, { kind: kind.kind, fieldValidation }))();
  const namespace = namespaceOf(endpoint, exchange);
  // Reviews come with hardly any metadata; those in a namespace adopt it.
  const sent: KubeObject = { ...object, metadata: object.metadata ?? {} };
  if (namespace !== "") adoptNamespace(sent, namespace);
  const { user, info } = exchange;
  const { dryRun } = options;
  const answer = await review.review(sent, { user, namespace, name: info.name, dryRun });
  const bytes = encodeJson(kind.typeId, {
    ...answer,
    kind: kind.kind.kind,
    apiVersion: kind.apiVersion,
  });
  return objectReply(wanted, { status: 201, kind, bytes });
}
