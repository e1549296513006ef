// RoleBindings and ClusterRoleBindings print alike.
import type { RoleBinding } from "../../api/types/rbac-v1.ts";
import { ageColumn, nameColumn, type Printer, printer, text, wide } from "./column.ts";

export const roleBindingPrinter: Printer = printer<RoleBinding>([
  nameColumn,
  text("Role", "Role it grants", ({ roleRef }) => `${roleRef.kind}/${roleRef.name}`),
  ageColumn,
  wide(text("Users", "Users it grants it to", (binding) => subjects(binding, "User"))),
  wide(text("Groups", "Groups it grants it to", (binding) => subjects(binding, "Group"))),
  wide(
    text("ServiceAccounts", "Service accounts it grants it to", (binding) =>
      subjects(binding, "ServiceAccount"),
    ),
  ),
]);

function subjects(binding: RoleBinding, kind: string): string {
  return (binding.subjects ?? [])
    .filter((subject) => subject.kind === kind)
    .map(({ namespace, name }) =>
      kind === "ServiceAccount" && namespace ? `${namespace}/${name}` : name,
    )
    .join(", ");
}
