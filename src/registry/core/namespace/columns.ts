// How namespaces are printed.
import type { Namespace } from "../../../api/types/core-v1.ts";
import { ageColumn, nameColumn, type Printer, printer, text } from "../../table/column.ts";

export const namespacePrinter: Printer = printer<Namespace>([
  nameColumn,
  text("Status", "Phase of the namespace", ({ status }) => status?.phase ?? ""),
  ageColumn,
]);
