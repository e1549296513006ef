// What the server is made of besides itself: small sink types that registry, access and cluster satisfy without
// knowing this file. cluster/ builds the parts; createApiServer only calls them.
import type { Authenticator } from "../access/authentication.ts";
import type { AuthorizationAttributes, Authorizer } from "../access/authorization.ts";
import type { Admission } from "../api/admission-attributes.ts";
import type { HttpRequest } from "../host/http.ts";
import type { KubeObject } from "../api/object.ts";
import type { Schema } from "../api/schema/schema.ts";
import type { UserInfo } from "../api/user-info.ts";
import type { ResourceRegistry } from "../registry/registry.ts";
import type { GaugeSource } from "./metrics/metric-registry.ts";

export interface ServerParts {
  /** Which resources are served, in discovery order. */
  readonly schema: Schema;
  readonly registries: RegistrySource;
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  readonly admission: Admission;
  readonly impersonator: Impersonator;
  readonly reviews: ReviewSource;
  readonly tokenKeys: TokenKeyDocuments;
  readonly version: VersionDocument;
  /** Beyond `ping` and `shutdown`, which the server adds itself. */
  readonly healthChecks: readonly HealthCheck[];
  /** What `componentstatuses` shows. */
  readonly components: () => readonly ComponentHealth[];
  /** More families for `/metrics`: storage, watch cache, process. */
  readonly gauges: readonly GaugeSource[];
  readonly options: ServerOptions;
}

export interface RegistrySource {
  /** The registry behind a served resource; undefined for what is not stored (reviews, bindings). */
  find(group: string, resource: string, version?: string): ResourceRegistry | undefined;
}

/** Impersonate-* headers (api-machinery §9.4). Called only when one is present. */
export interface Impersonator {
  /**
   * Who to go on as; `attributes` are the whole request's, its user the one who was authenticated. Throws Forbidden or
   * BadRequest.
   */
  impersonate(
    attributes: AuthorizationAttributes,
    request: Pick<HttpRequest, "headers" | "repeated">,
  ): Promise<UserInfo>;
}

/** POSTs that compute an answer and store nothing: TokenReview, SubjectAccessReview, serviceaccounts/token. */
export interface ReviewSource {
  /** `resource` as `tokenreviews`, or with its subresource: `serviceaccounts/token`. */
  find(group: string, resource: string): Review | undefined;
}

export interface Review {
  /** The object sent, decoded and defaulted; the answer is the same kind. Throws StatusError. */
  review(object: KubeObject, call: ReviewCall): Promise<KubeObject>;
}

export interface ReviewCall {
  readonly user: UserInfo;
  /** "" for cluster-scoped ones. */
  readonly namespace: string;
  /** The parent's name for a subresource, else "". */
  readonly name: string;
  readonly dryRun: boolean;
}

/** Both are JSON objects, served as they are. */
export interface TokenKeyDocuments {
  /** `/.well-known/openid-configuration` */
  configuration(): object;
  /** `/openid/v1/jwks` */
  keys(): object;
}

/** `/version`, field for field. */
export type VersionDocument = Readonly<Record<string, string>>;

export interface HealthCheck {
  readonly name: string;
  /** Which endpoints ask it. */
  readonly on: readonly ("livez" | "readyz")[];
  /** Undefined when healthy, else why not: for the log, never for the client. */
  check(): Promise<string | undefined>;
}

export interface ComponentHealth {
  readonly name: string;
  readonly healthy: boolean;
  /** Shown when healthy; an error otherwise. */
  readonly message: string;
}

export interface ServerOptions {
  /** `host:port` under which clients reach this server; shown by `/api`. */
  readonly externalAddress: string;
  /** Deadline of ordinary requests; `?timeout` may shorten it. Upstream: 60 s. */
  readonly requestTimeoutMs: number;
  /** Shortest random life of a watch; the longest is twice that. Upstream: 1800 s. */
  readonly minRequestTimeoutMs: number;
  /** Upstream: 3145728. */
  readonly bodyBytesMax: number;
}

export const defaultServerOptions: Omit<ServerOptions, "externalAddress"> = {
  requestTimeoutMs: 60_000,
  minRequestTimeoutMs: 1_800_000,
  bodyBytesMax: 3_145_728,
};
