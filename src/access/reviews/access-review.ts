// May this one do that? SubjectAccessReview about anyone, LocalSubjectAccessReview about anyone in one namespace,
// SelfSubjectAccessReview about the caller (upstream: registry/authorization).
import { badRequest, invalid } from "../../api/meta/errors.ts";
import { type FieldError, invalidValue } from "../../api/meta/field-error.ts";
import type { KubeObject } from "../../api/object.ts";
import type {
  SubjectAccessReviewSpec,
  SubjectAccessReviewStatus,
} from "../../api/types/authorization-v1.ts";
import type { ObjectMeta } from "../../api/types/meta-v1.ts";
import type { UserInfo } from "../../api/user-info.ts";
import type { AuthorizationAttributes, Authorizer } from "../authorization.ts";
import type { Review } from "./review.ts";

type Spec = SubjectAccessReviewSpec;

export function subjectAccessReview(authorizer: Authorizer): Review {
  return {
    async review(object) {
      const spec = specOf(object);
      refuse("SubjectAccessReview", [
        ...targetErrors(spec),
        ...subjectErrors(spec),
        ...(isEmpty(object.metadata) ? [] : [metadataError(object, "must be empty")]),
      ]);
      return answered(object, authorizer, userOf(spec));
    },
  };
}

export function localSubjectAccessReview(authorizer: Authorizer): Review {
  return {
    async review(object, { namespace }) {
      const spec = specOf(object);
      if (namespace === "") throw badRequest("namespace is required on this type: ");
      const { namespace: _, ...rest } = object.metadata;
      const asked = spec.resourceAttributes;
      const elsewhere = asked !== undefined && (asked.namespace ?? "") !== namespace;
      refuse("LocalSubjectAccessReview", [
        ...targetErrors(spec),
        ...subjectErrors(spec),
        ...(isEmpty(rest) ? [] : [metadataError(object, "must be empty except for namespace")]),
        ...(elsewhere
          ? [
              invalidValue(
                "spec.resourceAttributes.namespace",
                asked.namespace ?? "",
                "must match metadata.namespace",
              ),
            ]
          : []),
        ...(spec.nonResourceAttributes === undefined
          ? []
          : [
              invalidValue(
                "spec.nonResourceAttributes",
                spec.nonResourceAttributes,
                "disallowed on this kind of request",
              ),
            ]),
      ]);
      return answered(object, authorizer, userOf(spec));
    },
  };
}

export function selfSubjectAccessReview(authorizer: Authorizer): Review {
  return {
    async review(object, { user }) {
      refuse("SelfSubjectAccessReview", [
        ...targetErrors(specOf(object)),
        ...(isEmpty(object.metadata) ? [] : [metadataError(object, "must be empty")]),
      ]);
      return answered(object, authorizer, user);
    },
  };
}

function specOf(object: KubeObject): Spec {
  return object["spec"] ?? {};
}

function refuse(kind: string, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid({ group: "authorization.k8s.io", kind }, "", errors);
}

function targetErrors({ resourceAttributes, nonResourceAttributes }: Spec): FieldError[] {
  if (resourceAttributes !== undefined && nonResourceAttributes !== undefined) {
    const detail = "cannot be specified in combination with resourceAttributes";
    return [invalidValue("spec.nonResourceAttributes", nonResourceAttributes, detail)];
  }
  if (resourceAttributes !== undefined || nonResourceAttributes !== undefined) return [];
  const detail = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
  return [invalidValue("spec.resourceAttributes", null, detail)];
}

function subjectErrors({ user = "", groups = [] }: Spec): FieldError[] {
  if (user !== "" || groups.length > 0) return [];
  return [invalidValue("spec.user", user, "at least one of user or group must be specified")];
}

/** managedFields come with every client-side apply and are no word of the client's own. */
function isEmpty(metadata: ObjectMeta): boolean {
  return Object.entries(metadata).every(
    ([field, value]) =>
      field === "managedFields" || value === undefined || value === null || value === "",
  );
}

function metadataError({ metadata }: KubeObject, detail: string): FieldError {
  return invalidValue("metadata", metadata, detail);
}

function userOf({ user = "", uid = "", groups = [], extra = {} }: Spec): UserInfo {
  return { name: user, uid, groups, extra };
}

async function answered(
  object: KubeObject,
  authorizer: Authorizer,
  user: UserInfo,
): Promise<KubeObject> {
  const { allowed, reason } = await authorizer.authorize(attributesOf(specOf(object), user));
  const status: SubjectAccessReviewStatus = { allowed, ...(reason === "" ? {} : { reason }) };
  return { ...object, status };
}

function attributesOf(spec: Spec, user: UserInfo): AuthorizationAttributes {
  const asked = spec.resourceAttributes;
  if (asked === undefined) {
    const { path = "", verb = "" } = spec.nonResourceAttributes ?? {};
    return { user, verb, request: { kind: "NonResource", path } };
  }
  const { verb = "", group = "", version = "", resource = "", subresource = "" } = asked;
  const { namespace = "", name = "" } = asked;
  return {
    user,
    verb,
    request: { kind: "Resource", group, version, resource, subresource, namespace, name },
  };
}
