// How CSI storage capacities are printed.
import type { CSIStorageCapacity } from "../../../api/types/storage-v1.ts";
import { nameColumn, type Printer, printer, text } from "../../table/column.ts";

export const csiStorageCapacityPrinter: Printer = printer<CSIStorageCapacity>([
  nameColumn,
  text("StorageClassName", "Class the capacity is for", ({ storageClassName }) => storageClassName),
  text("Capacity", "Space left", ({ capacity }) => capacity ?? "<unset>"),
]);
