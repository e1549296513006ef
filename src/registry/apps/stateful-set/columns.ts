// How stateful sets are printed.
import type { StatefulSet } from "../../../api/types/apps-v1.ts";
import { ageColumn, nameColumn, type Printer, printer, text } from "../../table/column.ts";
import { containerColumns } from "../../table/workload-columns.ts";

export const statefulSetPrinter: Printer = printer<StatefulSet>([
  nameColumn,
  text(
    "Ready",
    "Ready pods of the pods wanted",
    ({ spec, status }) => `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`,
  ),
  ageColumn,
  ...containerColumns<StatefulSet>(({ spec }) => spec?.template),
]);
