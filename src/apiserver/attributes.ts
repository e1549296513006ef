// What an authorizer is asked about a request. Pure.
import type { AuthorizationAttributes } from "../access/authorization.ts";
import type { Exchange } from "./exchange.ts";

export function attributesOf({ info, user, query }: Exchange): AuthorizationAttributes {
  return {
    user,
    verb: info.verb,
    request: info.isResource
      ? {
          kind: "Resource",
          group: info.group,
          version: info.version,
          resource: info.resource,
          subresource: info.subresource,
          namespace: info.namespace,
          name: info.name,
          fieldSelector: query.first("fieldSelector"),
        }
      : { kind: "NonResource", path: info.path },
  };
}
