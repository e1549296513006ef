// The words of a refused authorization (upstream: responsewriters.ForbiddenStatusError).
import { type StatusError, forbidden } from "../api/meta/errors.ts";
import type { AuthorizationAttributes } from "./authorization.ts";

/** 403 that says who may not do what; `reason` is the authorizer's, "" for none. */
export function forbiddenRequest(attributes: AuthorizationAttributes, reason: string): StatusError {
  const sentence = escapeHtml(refusal(attributes));
  const why = reason === "" ? sentence : `${sentence}: ${reason}`;
  const { request } = attributes;
  if (request.kind === "NonResource") return forbidden(undefined, "", why);
  return forbidden(request, request.name, why);
}

function refusal({ user, verb, request }: AuthorizationAttributes): string {
  const who = JSON.stringify(user.name);
  if (request.kind === "NonResource") {
    return `User ${who} cannot ${verb} path ${JSON.stringify(request.path)}`;
  }
  const { resource, subresource, group, namespace } = request;
  const what = subresource === "" ? resource : `${resource}/${subresource}`;
  const where =
    namespace === "" ? "at the cluster scope" : `in the namespace ${JSON.stringify(namespace)}`;
  return `User ${who} cannot ${verb} resource ${JSON.stringify(what)} in API group ${JSON.stringify(group)} ${where}`;
}

/** Browsers show these answers; upstream escapes exactly these three. */
function escapeHtml(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}
