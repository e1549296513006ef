// How CSI nodes are printed.
import type { CSINode } from "../../../api/types/storage-v1.ts";
import { ageColumn, integer, nameColumn, type Printer, printer } from "../../table/column.ts";

export const csiNodePrinter: Printer = printer<CSINode>([
  nameColumn,
  integer("Drivers", "Number of drivers on the node", ({ spec }) => spec.drivers?.length ?? 0),
  ageColumn,
]);
