// How network policies are printed.
import type { NetworkPolicy } from "../../../api/types/networking-v1.ts";
import { selectorOrNone } from "../../table/cell-text.ts";
import { ageColumn, nameColumn, type Printer, printer, text } from "../../table/column.ts";

export const networkPolicyPrinter: Printer = printer<NetworkPolicy>([
  nameColumn,
  text("Pod-Selector", "Labels of the pods it rules", ({ spec }) =>
    selectorOrNone(spec?.podSelector),
  ),
  ageColumn,
]);
