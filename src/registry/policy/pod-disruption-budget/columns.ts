// How pod disruption budgets are printed.
import type { PodDisruptionBudget } from "../../../api/types/policy-v1.ts";
import { ageColumn, integer, nameColumn, type Printer, printer, text } from "../../table/column.ts";

export const podDisruptionBudgetPrinter: Printer = printer<PodDisruptionBudget>([
  nameColumn,
  text("Min Available", "Pods that must stay", ({ spec }) => `${spec?.minAvailable ?? "N/A"}`),
  text(
    "Max Unavailable",
    "Pods that may be gone",
    ({ spec }) => `${spec?.maxUnavailable ?? "N/A"}`,
  ),
  integer(
    "Allowed Disruptions",
    "Pods that may be evicted now",
    ({ status }) => status?.disruptionsAllowed ?? 0,
  ),
  ageColumn,
]);
