// How resource slices are printed.
import type { ResourceSlice } from "../../../api/types/resource-v1.ts";
import { ageColumn, nameColumn, type Printer, printer, text } from "../../table/column.ts";

export const resourceSlicePrinter: Printer = printer<ResourceSlice>([
  nameColumn,
  text("Node", "Node that has the devices", ({ spec }) => spec.nodeName ?? ""),
  text("Driver", "Driver of the devices", ({ spec }) => spec.driver),
  text("Pool", "Pool the slice belongs to", ({ spec }) => spec.pool?.name ?? ""),
  ageColumn,
]);
