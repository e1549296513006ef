// Which RBAC rules a user holds: what authorization offers to the escalation check and to SelfSubjectRulesReview.
import type { PolicyRule, RoleRef } from "../api/types/rbac-v1.ts";
import type { UserInfo } from "../api/user-info.ts";

export interface ResolvedRules {
  readonly rules: readonly PolicyRule[];
  /** One text for every role that a binding names and that does not exist. */
  readonly errors: readonly string[];
  /** There may be more than these. */
  readonly incomplete?: true;
}

export interface RuleResolver {
  /** Rules of the user's ClusterRoleBindings, then of the RoleBindings in `namespace` ("" for none). */
  rulesFor(user: UserInfo, namespace: string): ResolvedRules;
  /** Undefined when the role does not exist. `namespace` is the binding's. */
  rulesOfRole(reference: RoleRef, namespace: string): readonly PolicyRule[] | undefined;
}

/** How messages name a role that does not exist; upstream's listers use the singular. */
export function missingRoleText(reference: RoleRef): string {
  return `${reference.kind.toLowerCase()}.rbac.authorization.k8s.io ${JSON.stringify(reference.name)} not found`;
}
