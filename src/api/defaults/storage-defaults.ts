// Defaults of the storage and scheduling groups (upstream: pkg/apis/storage/v1/defaults.go,
// pkg/apis/scheduling/v1/defaults.go).
import type { PriorityClass } from "../types/scheduling-v1.ts";
import type { CSIDriver, StorageClass, VolumeAttachment } from "../types/storage-v1.ts";
import { defaultPersistentVolumeSource } from "./volume-defaults.ts";

const defaultClassAnnotations = [
  "storageclass.kubernetes.io/is-default-class",
  "storageclass.beta.kubernetes.io/is-default-class",
];

/** Whether claims that name no class get this one. */
export function isDefaultClass({ metadata }: Pick<StorageClass, "metadata">): boolean {
  return defaultClassAnnotations.some((key) => metadata.annotations?.[key] === "true");
}

export function defaultStorageClass(storageClass: StorageClass): void {
  storageClass.reclaimPolicy ??= "Delete";
  storageClass.volumeBindingMode ??= "Immediate";
}

export function defaultCSIDriver(driver: CSIDriver): void {
  const spec = (driver.spec ??= {});
  spec.attachRequired ??= true;
  spec.podInfoOnMount ??= false;
  spec.storageCapacity ??= false;
  spec.fsGroupPolicy ??= "ReadWriteOnceWithFSType";
  if ((spec.volumeLifecycleModes ?? []).length === 0) spec.volumeLifecycleModes = ["Persistent"];
  spec.requiresRepublish ??= false;
  spec.seLinuxMount ??= false;
}

export function defaultVolumeAttachment(attachment: VolumeAttachment): void {
  const inline = attachment.spec?.source?.inlineVolumeSpec;
  if (inline) defaultPersistentVolumeSource(inline);
}

export function defaultPriorityClass(priorityClass: PriorityClass): void {
  priorityClass.preemptionPolicy ??= "PreemptLowerPriority";
}
