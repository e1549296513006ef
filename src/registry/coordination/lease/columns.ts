// How leases are printed.
import type { Lease } from "../../../api/types/coordination-v1.ts";
import { ageColumn, nameColumn, type Printer, printer, text } from "../../table/column.ts";

export const leasePrinter: Printer = printer<Lease>([
  nameColumn,
  text("Holder", "Who holds the lease", ({ spec }) => spec?.holderIdentity ?? ""),
  ageColumn,
]);
