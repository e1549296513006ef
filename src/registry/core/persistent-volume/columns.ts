// How persistent volumes are printed.
import type { PersistentVolume } from "../../../api/types/core-v1.ts";
import { ageColumn, nameColumn, type Printer, printer, text, wide } from "../../table/column.ts";
import { accessModesText, phaseText, storageClassText } from "../../table/volume-text.ts";

export const persistentVolumePrinter: Printer = printer<PersistentVolume>([
  nameColumn,
  text("Capacity", "Size of the volume", ({ spec }) => spec?.capacity?.["storage"] ?? "0"),
  text("Access Modes", "Ways it can be mounted", ({ spec }) => accessModesText(spec?.accessModes)),
  text(
    "Reclaim Policy",
    "What becomes of it after its claim",
    ({ spec }) => spec?.persistentVolumeReclaimPolicy ?? "",
  ),
  text("Status", "Phase of the volume", ({ metadata, status }) =>
    phaseText(metadata, status?.phase),
  ),
  text("Claim", "Claim it is bound to", ({ spec }) =>
    spec?.claimRef ? `${spec.claimRef.namespace ?? ""}/${spec.claimRef.name ?? ""}` : "",
  ),
  text("StorageClass", "Class of the volume", ({ metadata, spec }) =>
    storageClassText(metadata, spec?.storageClassName),
  ),
  text(
    "VolumeAttributesClass",
    "Class of its attributes",
    ({ spec }) => spec?.volumeAttributesClassName ?? "<unset>",
  ),
  text("Reason", "Why it is in its phase", ({ status }) => status?.reason ?? ""),
  ageColumn,
  wide(text("VolumeMode", "File system or block", ({ spec }) => spec?.volumeMode ?? "<unset>")),
]);
