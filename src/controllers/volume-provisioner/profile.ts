// What the simulated disks are called. A cluster with simulated nodes has them, as kind and minikube have theirs.
import type { StorageClass } from "../../api/types/storage-v1.ts";

/** In spec.provisioner of a StorageClass, and the CSI driver of its volumes. */
export const simulatedDisks = "disks.wavetank.dev";

/** Made when a cluster has no class at all. As kind's: volumes wait for the pod, and go with their claim. */
export const standardClass: StorageClass = {
  metadata: {
    name: "standard",
    annotations: { "storageclass.kubernetes.io/is-default-class": "true" },
  },
  provisioner: simulatedDisks,
  reclaimPolicy: "Delete",
  volumeBindingMode: "WaitForFirstConsumer",
};
