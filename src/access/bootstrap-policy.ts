// The RBAC objects that a cluster starts with (upstream: rbac/bootstrappolicy), for 1.36 with its default feature
// gates. Pure data; bootstrap-reconcile decides what of it has to be written.
import type { KubeObject } from "../api/object.ts";
import { clusterBindings } from "./bootstrap/cluster-bindings.ts";
import { componentRoles } from "./bootstrap/component-roles.ts";
import { controllerRules } from "./bootstrap/controller-roles.ts";
import { namespacedBindings, namespacedRoles } from "./bootstrap/namespaced-roles.ts";
import { account, clusterRole, namespacedRole, roleBinding } from "./bootstrap/policy-builder.ts";
import { userRoles } from "./bootstrap/user-roles.ts";
import { aggregate } from "./role-aggregation.ts";

/** Fresh objects at each call: ClusterRoles (aggregated ones filled), their bindings, Roles, RoleBindings. */
export function bootstrapPolicy(): KubeObject[] {
  const controllers = Object.entries(controllerRules);
  const prefix = "system:controller:";
  const roles = [
    ...[...userRoles, ...componentRoles].map(clusterRole),
    ...controllers.map(([name, rules]) => clusterRole({ name: prefix + name, rules })),
  ];
  const filled = new Map(aggregate(roles).map((role) => [role.metadata.name, role]));
  return [
    ...roles.map((role) => filled.get(role.metadata.name) ?? role),
    ...clusterBindings.map(roleBinding),
    ...controllers.map(([name]) => roleBinding({ name: prefix + name, subjects: [account(name)] })),
    ...namespacedRoles.map(namespacedRole),
    ...namespacedBindings.map(roleBinding),
  ];
}
