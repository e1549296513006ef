// DefaultStorageClass: a claim that names no class gets the newest default one (upstream:
// plugin/pkg/admission/storage/storageclass/setdefault).
import type { PersistentVolumeClaimSpec } from "../../api/types/core-v1.ts";
import type { ObjectReader } from "../object-reader.ts";
import type { AdmissionStep } from "./chain.ts";
import { newestFirst } from "./newest-first.ts";
import { isDefaultClass } from "../../api/defaults/storage-defaults.ts";

const classes = "storageclasses.storage.k8s.io";
const claimAnnotation = "volume.beta.kubernetes.io/storage-class";
export function defaultStorageClass(reader: ObjectReader): AdmissionStep {
  return ({ operation, resource, subresource, object }) => {
    if (operation !== "CREATE" || subresource !== "" || object === undefined) return;
    if (resource.group !== "" || resource.resource !== "persistentvolumeclaims") return;
    const spec = object["spec"] as PersistentVolumeClaimSpec | undefined;
    // "" asks for no class at all.
    if (spec === undefined || spec.storageClassName !== undefined) return;
    if (object.metadata.annotations?.[claimAnnotation] !== undefined) return;
    const [newest] = reader.list(classes, "").filter(isDefaultClass).sort(newestFirst);
    if (newest?.metadata.name !== undefined) spec.storageClassName = newest.metadata.name;
  };
}
