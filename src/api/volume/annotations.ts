// What binding leaves on claims and volumes (upstream: component-helpers/storage/volume/pv_helpers.go).

export const volumeAnnotations = {
  /** On a claim: binding is finished, so that from now on a missing volume is a loss. */
  bindCompleted: "pv.kubernetes.io/bind-completed",
  /** On either: the reference to the other was made by this controller, not by a person. */
  boundByController: "pv.kubernetes.io/bound-by-controller",
  /** On a claim: the scheduler chose this node for the first pod that needs it. */
  selectedNode: "volume.kubernetes.io/selected-node",
  /** On a claim: who is to make a volume for it. */
  provisioner: "volume.kubernetes.io/storage-provisioner",
  legacyProvisioner: "volume.beta.kubernetes.io/storage-provisioner",
  legacyClass: "volume.beta.kubernetes.io/storage-class",
  /** On a volume: who made it and is to delete it. */
  provisionedBy: "pv.kubernetes.io/provisioned-by",
} as const;

/** The provisioner of classes whose volumes are made by hand. */
export const noProvisioner = "kubernetes.io/no-provisioner";
