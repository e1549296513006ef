// How volume attributes classes are printed.
import type { VolumeAttributesClass } from "../../../api/types/storage-v1.ts";
import { ageColumn, nameColumn, type Printer, printer, text } from "../../table/column.ts";

export const volumeAttributesClassPrinter: Printer = printer<VolumeAttributesClass>([
  nameColumn,
  text("DriverName", "CSI driver of the class", ({ driverName }) => driverName),
  ageColumn,
]);
