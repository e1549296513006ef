// What PersistentVolumes and PersistentVolumeClaims print alike.
import type { ObjectMeta } from "../../api/types/meta-v1.ts";

/** In the order in which they are written. */
const accessModeShorts: readonly (readonly [string, string])[] = [
  ["ReadWriteOnce", "RWO"],
  ["ReadOnlyMany", "ROX"],
  ["ReadWriteMany", "RWX"],
  ["ReadWriteOncePod", "RWOP"],
];

export function accessModesText(modes: readonly string[] | undefined): string {
  return accessModeShorts
    .filter(([mode]) => modes?.includes(mode))
    .map(([, short]) => short)
    .join(",");
}

/** The annotation of old clusters wins over the field. */
export function storageClassText(metadata: ObjectMeta, className: string | undefined): string {
  return metadata.annotations?.["volume.beta.kubernetes.io/storage-class"] ?? className ?? "";
}

export function phaseText(metadata: ObjectMeta, phase: string | undefined): string {
  return metadata.deletionTimestamp ? "Terminating" : (phase ?? "");
}
