// From request info to the function that serves it. The path must lead to something (404) that knows the method (405)
// and the type of a patch (415); all is decided here, from the schema, before any verb runs.
import { methodNotAllowed, noSuchResource } from "../api/meta/errors.ts";
import type { SubresourceSchema } from "../api/schema/schema.ts";
import { serveComponentStatus } from "./component-status.ts";
import { serveConnect } from "./connect.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Exchange } from "./exchange.ts";
import { patchTypeOf } from "./patch-document.ts";
import { type Reply, plainError } from "./reply.ts";
import type { RequestInfo } from "./request-info.ts";
import { serveResourceMetrics } from "./resource-metrics.ts";
import type { ResourceCall } from "./resource-call.ts";
import type { ServerState } from "./server-state.ts";
import { createSubresource } from "./verbs/create-subresource.ts";
import { createObject } from "./verbs/create.ts";
import { deleteCollection } from "./verbs/delete-collection.ts";
import { deleteObject } from "./verbs/delete.ts";
import { getObject } from "./verbs/get.ts";
import { listObjects } from "./verbs/list.ts";
import { patchObject } from "./verbs/patch.ts";
import { createReview } from "./verbs/review.ts";
import { updateObject } from "./verbs/update.ts";
import { watchObjects } from "./verbs/watch.ts";

type Verb = (call: ResourceCall) => Promise<Reply>;

const verbs: ReadonlyMap<string, Verb> = new Map<string, Verb>([
  ["get", getObject],
  ["list", listObjects],
  ["watch", watchObjects],
  ["create", createObject],
  ["update", updateObject],
  ["patch", patchObject],
  ["delete", deleteObject],
  ["deletecollection", deleteCollection],
]);

/** Subresources that are more than a view of the stored object. */
const subresourceVerbs: ReadonlyMap<string, Verb> = new Map<string, Verb>([
  ["binding", createSubresource],
  ["eviction", createSubresource],
  ["token", createReview],
  ["log", serveConnect],
  ["exec", serveConnect],
  ["attach", serveConnect],
  ["portforward", serveConnect],
  ["proxy", serveConnect],
]);

/** Resources without storage, by `resource.group`. */
const unstored: ReadonlyMap<string, Verb> = new Map<string, Verb>([
  ["bindings", createSubresource],
  ["componentstatuses", serveComponentStatus],
  ["nodes.metrics.k8s.io", serveResourceMetrics],
  ["pods.metrics.k8s.io", serveResourceMetrics],
]);

export async function serveResource(server: ServerState, exchange: Exchange): Promise<Reply> {
  const { info } = exchange;
  const endpoint = server.endpoints.find(info.group, info.version, info.resource);
  if (endpoint === undefined) {
    if (server.endpoints.servesGroup(info.group)) throw noSuchResource();
    return plainError(404, "404 page not found");
  }
  exchange.known = true;
  const subresource = endpoint.subresources.get(info.subresource);
  if (info.subresource !== "" && subresource === undefined) throw noSuchResource();
  requireScope(endpoint, info);
  const verb =
    subresource === undefined ? findVerb(endpoint, info) : findSubresourceVerb(subresource, info);
  if (verb === patchObject) patchTypeOf(exchange.request.headers["content-type"]);
  exchange.warn(endpoint.deprecation);
  return await verb({ server, exchange, endpoint, subresource });
}

function findVerb(endpoint: Endpoint, info: RequestInfo): Verb {
  requireMethod(endpoint, info);
  const special = unstored.get(endpoint.label);
  if (special !== undefined) return special;
  if (endpoint.registry === undefined) return createReview;
  const verb = verbs.get(info.verb);
  if (verb === undefined) throw methodNotAllowed();
  return verb;
}

function requireScope({ resource }: Endpoint, info: RequestInfo): void {
  if (resource.namespaced) {
    if (info.namespace === "" && info.named) throw noSuchResource();
  } else if (info.namespace !== "" && resource.resource !== "namespaces") throw noSuchResource();
}

function requireMethod({ resource, verbs: known }: Endpoint, info: RequestInfo): void {
  if (!known.has(info.verb)) throw methodNotAllowed();
  if (info.rest !== "") throw noSuchResource();
  const onOne = info.verb === "update" || info.verb === "patch";
  if (onOne && !info.named) throw methodNotAllowed();
  if (info.verb === "create" && info.named) throw methodNotAllowed();
  // Without a namespace only reading goes across all of them.
  const acrossAll = resource.namespaced && info.namespace === "";
  if (acrossAll && info.verb !== "list" && info.verb !== "watch") throw methodNotAllowed();
}

function findSubresourceVerb({ name, verbs: known }: SubresourceSchema, info: RequestInfo): Verb {
  if (info.rest !== "" && name !== "proxy") throw noSuchResource();
  if (!known.includes(info.verb)) throw methodNotAllowed();
  const special = subresourceVerbs.get(name);
  if (special !== undefined) return special;
  const verb = verbs.get(info.verb);
  if (verb === undefined) throw methodNotAllowed();
  return verb;
}
