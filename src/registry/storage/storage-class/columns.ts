// How storage classes are printed; the default class says so beside its name.
import type { StorageClass } from "../../../api/types/storage-v1.ts";
import { ageColumn, nameColumn, type Printer, printer, text } from "../../table/column.ts";

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

const defaultAnnotations = [
  "storageclass.kubernetes.io/is-default-class",
  "storageclass.beta.kubernetes.io/is-default-class",
];

function nameText({ metadata }: StorageClass): string {
  const isDefault = defaultAnnotations.some((key) => metadata.annotations?.[key] === "true");
  return isDefault ? `${metadata.name ?? ""} (default)` : (metadata.name ?? "");
}
