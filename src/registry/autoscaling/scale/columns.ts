// How the Scale of a workload is printed.
import type { Scale } from "../../../api/types/autoscaling-v1.ts";
import { ageColumn, integer, nameColumn, type Printer, printer } from "../../table/column.ts";

export const scalePrinter: Printer = printer<Scale>([
  nameColumn,
  integer("Desired", "Pods wanted", ({ spec }) => spec?.replicas ?? 0),
  integer("Available", "Pods that exist", ({ status }) => status?.replicas ?? 0),
  ageColumn,
]);
