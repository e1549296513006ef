// May this user do this? Decisions are pure functions of the attributes and the RBAC objects.
import type { UserInfo } from "../api/user-info.ts";

export interface AuthorizationAttributes {
  readonly user: UserInfo;
  /** `get`, `list`, `create`, … ; for non-resource requests the lower-case HTTP method. */
  readonly verb: string;
  readonly request:
    | {
        readonly kind: "Resource";
        readonly group: string;
        readonly version: string;
        readonly resource: string;
        /** "" for none. */
        readonly subresource: string;
        /** "" for cluster scope and all namespaces. */
        readonly namespace: string;
        readonly name: string;
        /** Of a list or watch, as it was sent; absent: none. */
        readonly fieldSelector?: string | undefined;
      }
    | { readonly kind: "NonResource"; readonly path: string };
}

export interface Decision {
  readonly allowed: boolean;
  /** Why, when the authorizer says: `RBAC: allowed by …`; "" for none. */
  readonly reason: string;
}

export interface Authorizer {
  /** At once where it has all that it needs. */
  authorize(attributes: AuthorizationAttributes): Decision | Promise<Decision>;
}
