// How service CIDRs are printed.
import type { ServiceCIDR } from "../../../api/types/networking-v1.ts";
import { ageColumn, nameColumn, type Printer, printer, text } from "../../table/column.ts";

export const serviceCidrPrinter: Printer = printer<ServiceCIDR>([
  nameColumn,
  text("CIDRs", "Ranges of service addresses", ({ spec }) => spec?.cidrs?.join(",") ?? ""),
  ageColumn,
]);
