// How config maps are printed.
import type { ConfigMap } from "../../../api/types/core-v1.ts";
import { ageColumn, nameColumn, type Printer, printer, text } from "../../table/column.ts";

export const configMapPrinter: Printer = printer<ConfigMap>([
  nameColumn,
  text(
    "Data",
    "Number of keys, text and binary",
    ({ data, binaryData }) => Object.keys(data ?? {}).length + Object.keys(binaryData ?? {}).length,
  ),
  ageColumn,
]);
