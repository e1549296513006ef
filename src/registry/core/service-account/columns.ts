// How service accounts are printed.
import type { ServiceAccount } from "../../../api/types/core-v1.ts";
import { ageColumn, nameColumn, type Printer, printer, text } from "../../table/column.ts";

export const serviceAccountPrinter: Printer = printer<ServiceAccount>([
  nameColumn,
  text("Secrets", "Number of secrets its pods may use", ({ secrets }) => secrets?.length ?? 0),
  ageColumn,
]);
