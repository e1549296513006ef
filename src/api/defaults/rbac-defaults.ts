// Defaults of RBAC bindings (upstream: pkg/apis/rbac/v1/defaults.go).
import type { ClusterRoleBinding, RoleBinding } from "../types/rbac-v1.ts";

const rbacGroup = "rbac.authorization.k8s.io";

export function defaultBinding(binding: RoleBinding | ClusterRoleBinding): void {
  if (binding.roleRef) binding.roleRef.apiGroup ||= rbacGroup;
  for (const subject of binding.subjects ?? []) {
    if (subject.kind === "User" || subject.kind === "Group") subject.apiGroup ||= rbacGroup;
  }
}
