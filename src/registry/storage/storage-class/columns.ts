// How storage classes are printed; the default class says so beside its name.
import type { StorageClass } from "../../../api/types/storage-v1.ts";
import { ageColumn, nameColumn, type Printer, printer, text } from "../../table/column.ts";
import { isDefaultClass } from "../../../api/defaults/storage-defaults.ts";

export const storageClassPrinter: Printer = printer<StorageClass>([
  { ...nameColumn, cell: nameText },
  text("Provisioner", "Driver that makes the volumes", ({ provisioner }) => provisioner),
  text(
    "ReclaimPolicy",
    "What becomes of volumes after their claims",
    ({ reclaimPolicy }) => reclaimPolicy ?? "Delete",
  ),
  text(
    "VolumeBindingMode",
    "When volumes are made and bound",
    ({ volumeBindingMode }) => volumeBindingMode ?? "Immediate",
  ),
  text(
    "AllowVolumeExpansion",
    "Whether volumes may grow",
    ({ allowVolumeExpansion }) => allowVolumeExpansion ?? false,
  ),
  ageColumn,
]);

function nameText(storageClass: StorageClass): string {
  const { name = "" } = storageClass.metadata;
  return isDefaultClass(storageClass) ? `${name} (default)` : name;
}
