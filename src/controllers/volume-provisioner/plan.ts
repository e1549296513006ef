// Which volume a claim gets made, and when one is thrown away (upstream: sig-storage-lib-external-provisioner). Simulated
// disks can be attached anywhere in the zone they were made in. Pure.
import type {
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeSpec,
} from "../../api/types/core-v1.ts";
import type { StorageClass } from "../../api/types/storage-v1.ts";
import { volumeAnnotations } from "../../api/volume/annotations.ts";
import { claimClassOf } from "../../api/volume/match.ts";
import type { Served } from "../../client/served-object.ts";
import { simulatedDisks } from "./profile.ts";

type Claim = Readonly<Served<PersistentVolumeClaim>>;

const zoneLabel = "topology.kubernetes.io/zone";

/** Whether a volume has to be made for it now. */
export function wantsVolume(
  { metadata, spec }: Claim,
  storageClass: StorageClass | undefined,
): boolean {
  const annotations = metadata.annotations ?? {};
  if ((spec?.volumeName ?? "") !== "" || typeof metadata.deletionTimestamp === "string")
    return false;
  const asked = annotations[volumeAnnotations.provisioner];
  if (asked !== simulatedDisks || storageClass?.provisioner !== simulatedDisks) return false;
  return (
    storageClass.volumeBindingMode !== "WaitForFirstConsumer" ||
    annotations[volumeAnnotations.selectedNode] !== undefined
  );
}

/** `node`: the one that the scheduler chose, if it did. */
export function volumeFor(
  claim: Claim,
  storageClass: StorageClass,
  node: Node | undefined,
): PersistentVolume {
  const { uid, name, namespace = "" } = claim.metadata;
  const zone = node?.metadata.labels?.[zoneLabel];
  const volumeName = `pvc-${uid}`;
  const spec: PersistentVolumeSpec = {
    capacity: { storage: claim.spec?.resources?.requests?.["storage"] ?? "0" },
    accessModes: claim.spec?.accessModes ?? [],
    persistentVolumeReclaimPolicy: storageClass.reclaimPolicy ?? "Delete",
    storageClassName: claimClassOf(claim),
    volumeMode: claim.spec?.volumeMode ?? "Filesystem",
    csi: { driver: simulatedDisks, volumeHandle: volumeName },
    claimRef: { kind: "PersistentVolumeClaim", apiVersion: "v1", namespace, name, uid },
    ...(zone === undefined ? {} : { nodeAffinity: inZone(zone) }),
  };
  const annotations = { [volumeAnnotations.provisionedBy]: simulatedDisks };
  return { metadata: { name: volumeName, annotations }, spec };
}

function inZone(zone: string): NonNullable<PersistentVolumeSpec["nodeAffinity"]> {
  const matchExpressions = [{ key: zoneLabel, operator: "In", values: [zone] }];
  return { required: { nodeSelectorTerms: [{ matchExpressions }] } };
}

/** Its claim is gone, and with it what it was for. */
export function isWaste({ metadata, spec, status }: PersistentVolume): boolean {
  return (
    metadata.annotations?.[volumeAnnotations.provisionedBy] === simulatedDisks &&
    typeof metadata.deletionTimestamp !== "string" &&
    spec?.persistentVolumeReclaimPolicy === "Delete" &&
    status?.phase === "Released"
  );
}
