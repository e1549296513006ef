// Everything of access as one record, from a Host, a view of the cluster's objects, the token keys and options.
// cluster/ hands the parts to the server and the registries.
import type { Admission } from "../api/admission-attributes.ts";
import type { UserInfo } from "../api/user-info.ts";
import type { Host } from "../host/host.ts";
import type { HttpRequest } from "../host/http.ts";
import type { TokenSigner } from "../host/token-signer.ts";
import { createAdmissionChain } from "./admission/chain.ts";
import { certificateSigners, certificateSubjects } from "./admission/certificate-signers.ts";
import { claimResize } from "./admission/claim-resize.ts";
import { defaultIngressClass } from "./admission/default-ingress-class.ts";
import { limitRangeDefaults, limitRangeLimits } from "./admission/limit-ranger.ts";
import { taintNewNodes } from "./admission/node-taints.ts";
import { podSecurity } from "./admission/pod-security.ts";
import { podTopologyLabels } from "./admission/pod-topology-labels.ts";
import { resourceQuota } from "./admission/resource-quota.ts";
import { runtimeClassMutation, runtimeClassValidation } from "./admission/runtime-class.ts";
import type { QuotaBook } from "./quota/quota-accountant.ts";
import { defaultStorageClass } from "./admission/default-storage-class.ts";
import { defaultTolerationSeconds } from "./admission/default-toleration-seconds.ts";
import { nodeRestriction } from "./admission/node-restriction.ts";
import { namespaceLifecycle } from "./admission/namespace-lifecycle.ts";
import { priorityClassValidation, priorityMutation } from "./admission/priority.ts";
import { rbacEscalation } from "./admission/rbac-escalation.ts";
import { type RunawayGuard, runawayOwner } from "./admission/runaway-owner.ts";
import { serviceAccountMutation, serviceAccountValidation } from "./admission/service-account.ts";
import { storageObjectInUseProtection } from "./admission/storage-object-in-use-protection.ts";
import type { AccountTokenProfile } from "./account-tokens.ts";
import type { Authenticator } from "./authentication.ts";
import { createCertificateAuthenticator } from "./authentication/client-certificate.ts";
import { createLegacyTokenAuthenticator } from "./authentication/legacy-token.ts";
import { createRequestAuthenticator } from "./authentication/request-authenticator.ts";
import { createServiceAccountTokenAuthenticator } from "./authentication/service-account-token.ts";
import { createStaticTokenAuthenticator, parseTokenFile } from "./authentication/static-token.ts";
import {
  type TokenAuthenticator,
  unionTokenAuthenticator,
} from "./authentication/token-authenticator.ts";
import type { AuthorizationAttributes, Authorizer } from "./authorization.ts";
import { createNodeAuthorizer, nodeOf } from "./authorization/node-authorizer.ts";
import { type NodePods, NodeRelations } from "./authorization/node-relations.ts";
import { type RbacAuthorizer, createRbacAuthorizer } from "./authorization/rbac-authorizer.ts";
import { unionAuthorizer } from "./authorization/union-authorizer.ts";
import { nodeRules } from "./bootstrap/component-roles.ts";
import { impersonate } from "./impersonation.ts";
import type { ObjectReader } from "./object-reader.ts";
import type { RuleResolver } from "./rule-resolver.ts";
import {
  localSubjectAccessReview,
  selfSubjectAccessReview,
  subjectAccessReview,
} from "./reviews/access-review.ts";
import { type TokenKeyDocuments, tokenKeyDocuments } from "./reviews/openid.ts";
import type { Review } from "./reviews/review.ts";
import { selfSubjectReview, selfSubjectRulesReview } from "./reviews/self-subject-review.ts";
import { tokenRequest } from "./reviews/token-request.ts";
import { tokenReview } from "./reviews/token-review.ts";

/** The issuer of ServiceAccount tokens and the audience of this API server. */
export const tokenIssuer = "https://kubernetes.default.svc.cluster.local";
const apiAudiences: readonly string[] = [tokenIssuer];

export interface AccessOptions {
  /** Text of a token file (authentication/static-token.ts); "" for none. */
  readonly tokens: string;
  /** `host:port` under which clients reach this server, for the OpenID documents. */
  readonly externalAddress: string;
  /** Limits owners whose pods never run; absent: nothing does. */
  readonly runawayGuard?: RunawayGuard | undefined;
  readonly quotas: QuotaBook;
  /** How pods get their account's token. */
  readonly accountTokens: AccountTokenProfile;
  /** The pods of each node, which say what its kubelet may read. */
  readonly nodePods: NodePods;
}

export interface Access {
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  readonly admission: Admission;
  readonly impersonator: Impersonator;
  readonly reviews: ReviewSource;
  readonly tokenKeys: TokenKeyDocuments;
}

interface Impersonator {
  /** Who to go on as; `attributes` are the whole request's, its user the one who was authenticated. */
  impersonate(
    attributes: AuthorizationAttributes,
    request: Pick<HttpRequest, "headers" | "repeated">,
  ): Promise<UserInfo>;
}

interface ReviewSource {
  /** `resource` as `tokenreviews`, or with its subresource: `serviceaccounts/token`. */
  find(group: string, resource: string): Review | undefined;
}

/** Throws Error when the token file is broken. */
export function buildAccess(
  host: Host,
  reader: ObjectReader,
  signer: TokenSigner,
  options: AccessOptions,
): Access {
  const tokens = unionTokenAuthenticator([
    createStaticTokenAuthenticator(parseTokenFile(options.tokens)),
    createServiceAccountTokenAuthenticator(host, reader, signer, { issuer: tokenIssuer }),
    createLegacyTokenAuthenticator(reader, signer),
  ]);
  const rbac = createRbacAuthorizer(reader);
  // Modes Node,RBAC, as kubeadm sets up a cluster.
  const relations = new NodeRelations(reader, options.nodePods);
  const authorizer = unionAuthorizer([createNodeAuthorizer(relations, nodeRules), rbac]);
  const keysUrl = `https://${options.externalAddress}/openid/v1/jwks`;
  return {
    authenticator: createRequestAuthenticator(
      createCertificateAuthenticator(),
      tokens,
      apiAudiences,
    ),
    authorizer,
    admission: buildAdmission(host, reader, {
      authorizer,
      rbac,
      guard: options.runawayGuard,
      quotas: options.quotas,
      mountedToken: options.accountTokens.mounted,
    }),
    impersonator: {
      impersonate: (attributes, request) => impersonate(request, attributes, authorizer),
    },
    reviews: buildReviews({ host, reader, signer, tokens, authorizer, resolver: resolverOf(rbac) }),
    tokenKeys: tokenKeyDocuments(signer, tokenIssuer, keysUrl),
  };
}

interface AdmissionParts {
  readonly mountedToken: AccountTokenProfile["mounted"];
  readonly authorizer: Authorizer;
  readonly rbac: RbacAuthorizer;
  readonly guard: RunawayGuard | undefined;
  readonly quotas: QuotaBook;
}

/** Nobody can list what a node may do: that depends on its pods. */
function resolverOf(rbac: RuleResolver): RuleResolver {
  return {
    rulesOfRole: (reference, namespace) => rbac.rulesOfRole(reference, namespace),
    rulesFor(user, namespace) {
      const resolved = rbac.rulesFor(user, namespace);
      if (nodeOf(user) === undefined) return resolved;
      const errors = ["node authorizer does not support user rule resolution", ...resolved.errors];
      return { ...resolved, errors, incomplete: true };
    },
  };
}

/** The order is upstream's. */
function buildAdmission(host: Host, reader: ObjectReader, parts: AdmissionParts): Admission {
  const { authorizer, rbac, guard, quotas, mountedToken } = parts;
  const lifecycle = namespaceLifecycle(reader);
  return createAdmissionChain(
    [
      lifecycle,
      limitRangeDefaults(reader),
      serviceAccountMutation(host, reader, mountedToken),
      nodeRestriction(reader, authorizer),
      taintNewNodes,
      priorityMutation(reader),
      defaultTolerationSeconds,
      defaultStorageClass(reader),
      storageObjectInUseProtection,
      runtimeClassMutation(reader),
      defaultIngressClass(reader),
      podTopologyLabels(reader),
    ],
    [
      rbacEscalation(rbac, rbac),
      lifecycle,
      limitRangeLimits(reader),
      serviceAccountValidation(reader),
      podSecurity(reader),
      priorityClassValidation(reader),
      claimResize(reader),
      runtimeClassValidation(reader),
      certificateSigners(rbac),
      certificateSubjects,
      ...(guard === undefined ? [] : [runawayOwner(guard)]),
      resourceQuota(host.clock, quotas),
    ],
  );
}

interface ReviewParts {
  readonly host: Host;
  readonly reader: ObjectReader;
  readonly signer: TokenSigner;
  readonly tokens: TokenAuthenticator;
  readonly authorizer: Authorizer;
  readonly resolver: RuleResolver;
}

function buildReviews(parts: ReviewParts): ReviewSource {
  const { host, reader, signer, tokens, authorizer, resolver } = parts;
  const authenticateToken: TokenAuthenticator["authenticateToken"] = (token, wanted) =>
    tokens.authenticateToken(token, wanted);
  const reviews: ReadonlyMap<string, Review> = new Map([
    ["authentication.k8s.io tokenreviews", tokenReview(authenticateToken, apiAudiences)],
    ["authentication.k8s.io selfsubjectreviews", selfSubjectReview(host.clock)],
    ["authorization.k8s.io subjectaccessreviews", subjectAccessReview(authorizer)],
    ["authorization.k8s.io selfsubjectaccessreviews", selfSubjectAccessReview(authorizer)],
    ["authorization.k8s.io localsubjectaccessreviews", localSubjectAccessReview(authorizer)],
    ["authorization.k8s.io selfsubjectrulesreviews", selfSubjectRulesReview(resolver)],
    [
      " serviceaccounts/token",
      tokenRequest(host, reader, signer, { issuer: tokenIssuer, audiences: apiAudiences }),
    ],
  ]);
  return { find: (group, resource) => reviews.get(`${group} ${resource}`) };
}
