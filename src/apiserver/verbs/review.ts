// POSTs that compute an answer and store nothing: access reviews, token reviews, token requests.
import type { AdmissionAttributes } from "../../api/admission-attributes.ts";
import type { KubeObject } from "../../api/object.ts";
import { encodeJson } from "../../api/codec/encode-json.ts";
import { noSuchResource } from "../../api/meta/errors.ts";
import { encodedKind } from "../encode-object.ts";
import { objectReply, wantedBy } from "../object-reply.ts";
import type { Reply } from "../reply.ts";
import { readObject } from "../request-body.ts";
import type { ResourceCall } from "../resource-call.ts";
import { adoptNamespace, namespaceOf, writeCall } from "../write-call.ts";
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
  // Who posts to a subresource acts on an object, and admission has a say in that.
  if (subresource !== undefined) {
    const { admission, ...call } = writeCall(server, exchange, { endpoint, options });
    const attributes: AdmissionAttributes = {
      ...call,
      operation: "CREATE",
      resource: endpoint.resource,
      subresource: subresource.name,
      kind: subresource.kind,
      name: exchange.info.name,
      object: sent,
      oldObject: undefined,
    };
    await admission.mutate(attributes);
    await admission.validate(attributes);
  }
  const answer = await review.review(sent, { user, namespace, name: info.name, dryRun });
  const bytes = encodeJson(kind.typeId, {
    ...answer,
    kind: kind.kind.kind,
    apiVersion: kind.apiVersion,
  });
  return objectReply(wanted, { status: 201, kind, bytes });
}
