// Validation of roles and their bindings (upstream: pkg/apis/rbac/validation/validation.go). Whether their author may
// grant what they hold is decided elsewhere.
import { type FieldError, invalidValue, notSupported, required } from "../meta/field-error.ts";
import type {
  ClusterRole,
  ClusterRoleBinding,
  PolicyRule,
  Role,
  RoleBinding,
  Subject,
} from "../types/rbac-v1.ts";
import { checkText, invalidEach } from "./checks.ts";
import { dns1123Subdomain, pathSegment } from "./names.ts";
import { validateLabelSelector } from "./selector-validation.ts";
import { semanticallyEqual } from "./semantic-equality.ts";

const rbacGroup = "rbac.authorization.k8s.io";
const subjectKinds = ["ServiceAccount", "User", "Group"];

export function validateRole(role: Role, errors: FieldError[]): void {
  for (const [i, rule] of (role.rules ?? []).entries()) {
    validateRule(rule, `rules[${i}]`, { errors, isNamespaced: true });
  }
}

export function validateClusterRole(role: ClusterRole, errors: FieldError[]): void {
  for (const [i, rule] of (role.rules ?? []).entries()) {
    validateRule(rule, `rules[${i}]`, { errors, isNamespaced: false });
  }
  if (!role.aggregationRule) return;
  const selectors = role.aggregationRule.clusterRoleSelectors ?? [];
  const path = "aggregationRule.clusterRoleSelectors";
  if (selectors.length === 0) {
    const detail = "at least one clusterRoleSelector required if aggregationRule is non-nil";
    errors.push(required(path, detail));
  }
  for (const [i, selector] of selectors.entries()) {
    validateLabelSelector(selector, `${path}[${i}]`, errors);
  }
}

export function validateRoleBinding(binding: RoleBinding, errors: FieldError[]): void {
  validateBinding(binding, { errors, isNamespaced: true });
}

export function validateClusterRoleBinding(
  binding: ClusterRoleBinding,
  errors: FieldError[],
): void {
  validateBinding(binding, { errors, isNamespaced: false });
}

export function validateRoleBindingUpdate(
  binding: RoleBinding,
  old: RoleBinding,
  errors: FieldError[],
): void {
  validateRoleBinding(binding, errors);
  checkRoleRefKept(binding, old, errors);
}

export function validateClusterRoleBindingUpdate(
  binding: ClusterRoleBinding,
  old: ClusterRoleBinding,
  errors: FieldError[],
): void {
  validateClusterRoleBinding(binding, errors);
  checkRoleRefKept(binding, old, errors);
}

interface Scope {
  readonly errors: FieldError[];
  readonly isNamespaced: boolean;
}

function validateRule(rule: PolicyRule, path: string, { errors, isNamespaced }: Scope): void {
  const has = (list: string[] | undefined): boolean => (list ?? []).length > 0;
  if (!has(rule.verbs)) {
    errors.push(required(`${path}.verbs`, "verbs must contain at least one value"));
  }
  if (has(rule.nonResourceURLs)) {
    const at = `${path}.nonResourceURLs`;
    if (isNamespaced) {
      const detail = "namespaced rules cannot apply to non-resource URLs";
      errors.push(invalidValue(at, rule.nonResourceURLs, detail));
    }
    if (has(rule.apiGroups) || has(rule.resources) || has(rule.resourceNames)) {
      const detail = "rules cannot apply to both regular resources and non-resource URLs";
      errors.push(invalidValue(at, rule.nonResourceURLs, detail));
    }
    return;
  }
  if (!has(rule.apiGroups)) {
    const detail = "resource rules must supply at least one api group";
    errors.push(required(`${path}.apiGroups`, detail));
  }
  if (!has(rule.resources)) {
    const detail = "resource rules must supply at least one resource";
    errors.push(required(`${path}.resources`, detail));
  }
}

function validateBinding(binding: RoleBinding | ClusterRoleBinding, scope: Scope): void {
  const { errors, isNamespaced } = scope;
  const { apiGroup, kind, name } = binding.roleRef;
  if (apiGroup !== rbacGroup) errors.push(notSupported("roleRef.apiGroup", apiGroup, [rbacGroup]));
  const kinds = isNamespaced ? ["Role", "ClusterRole"] : ["ClusterRole"];
  if (!kinds.includes(kind)) errors.push(notSupported("roleRef.kind", kind, kinds));
  errors.push(...checkText("roleRef.name", name, pathSegment));
  for (const [i, subject] of (binding.subjects ?? []).entries()) {
    validateSubject(subject, `subjects[${i}]`, scope);
  }
}

function validateSubject(subject: Subject, path: string, { errors, isNamespaced }: Scope): void {
  const { apiGroup = "", name, namespace = "" } = subject;
  if (name === "") errors.push(required(`${path}.name`));
  if (subject.kind === "ServiceAccount") {
    if (name !== "") errors.push(...invalidEach(`${path}.name`, name, dns1123Subdomain(name)));
    if (apiGroup !== "") errors.push(notSupported(`${path}.apiGroup`, apiGroup, [""]));
    if (!isNamespaced && namespace === "") errors.push(required(`${path}.namespace`));
  } else if (subject.kind === "User" || subject.kind === "Group") {
    if (apiGroup !== rbacGroup) {
      errors.push(notSupported(`${path}.apiGroup`, apiGroup, [rbacGroup]));
    }
  } else {
    errors.push(notSupported(`${path}.kind`, subject.kind, subjectKinds));
  }
}

function checkRoleRefKept(
  binding: RoleBinding | ClusterRoleBinding,
  old: RoleBinding | ClusterRoleBinding,
  errors: FieldError[],
): void {
  if (semanticallyEqual(binding.roleRef, old.roleRef)) return;
  const { apiGroup, kind, name } = binding.roleRef;
  const value = { APIGroup: apiGroup, Kind: kind, Name: name };
  errors.push(invalidValue("roleRef", value, "cannot change roleRef"));
}
