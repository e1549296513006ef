// StorageObjectInUseProtection: volumes, claims and attribute classes get the finalizer with which their protection
// controllers hold them while they are in use (upstream: plugin/pkg/admission/storage/storageobjectinuseprotection).
import type { AdmissionStep } from "./chain.ts";

const finalizerOf: Readonly<Record<string, string>> = {
  "/persistentvolumeclaims": "kubernetes.io/pvc-protection",
  "/persistentvolumes": "kubernetes.io/pv-protection",
  "storage.k8s.io/volumeattributesclasses": "kubernetes.io/vac-protection",
};

export const storageObjectInUseProtection: AdmissionStep = (attributes) => {
  const { operation, resource, subresource, object } = attributes;
  if (operation !== "CREATE" || subresource !== "" || object === undefined) return;
  const finalizer = finalizerOf[`${resource.group}/${resource.resource}`];
  if (finalizer === undefined) return;
  const present = object.metadata.finalizers ?? [];
  if (!present.includes(finalizer)) object.metadata.finalizers = [...present, finalizer];
};
