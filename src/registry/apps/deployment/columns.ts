// How deployments are printed. Two columns are typed string but hold numbers, as upstream has them.
import type { Deployment } from "../../../api/types/apps-v1.ts";
import { selectorOrNone } from "../../table/cell-text.ts";
import { ageColumn, nameColumn, type Printer, printer, text, wide } from "../../table/column.ts";
import { containerColumns } from "../../table/workload-columns.ts";

export const deploymentPrinter: Printer = printer<Deployment>([
  nameColumn,
  text(
    "Ready",
    "Ready pods of the pods wanted",
    ({ spec, status }) => `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`,
  ),
  text("Up-to-date", "Pods of the current template", ({ status }) => status?.updatedReplicas ?? 0),
  text("Available", "Pods ready for long enough", ({ status }) => status?.availableReplicas ?? 0),
  ageColumn,
  ...containerColumns<Deployment>(({ spec }) => spec?.template),
  wide(
    text("Selector", "Labels of the pods it manages", ({ spec }) => selectorOrNone(spec?.selector)),
  ),
]);
