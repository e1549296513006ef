// How persistent volume claims are printed; size and access modes are known once a volume is bound.
import type { PersistentVolumeClaim } from "../../../api/types/core-v1.ts";
import { ageColumn, nameColumn, type Printer, printer, text, wide } from "../../table/column.ts";
import { accessModesText, phaseText, storageClassText } from "../../table/volume-text.ts";

export const persistentVolumeClaimPrinter: Printer = printer<PersistentVolumeClaim>([
  nameColumn,
  text("Status", "Phase of the claim", ({ metadata, status }) =>
    phaseText(metadata, status?.phase),
  ),
  text("Volume", "Volume it is bound to", ({ spec }) => spec?.volumeName ?? ""),
  text("Capacity", "Size of the bound volume", ({ spec, status }) =>
    spec?.volumeName ? (status?.capacity?.["storage"] ?? "0") : "",
  ),
  text("Access Modes", "Ways the bound volume can be mounted", ({ spec, status }) =>
    spec?.volumeName ? accessModesText(status?.accessModes) : "",
  ),
  text("StorageClass", "Class of the claim", ({ metadata, spec }) =>
    storageClassText(metadata, spec?.storageClassName),
  ),
  text(
    "VolumeAttributesClass",
    "Class of its attributes",
    ({ spec }) => spec?.volumeAttributesClassName ?? "<unset>",
  ),
  ageColumn,
  wide(text("VolumeMode", "File system or block", ({ spec }) => spec?.volumeMode ?? "<unset>")),
]);
