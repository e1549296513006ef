// Which volumes a pod's claims would get on a node, if it can have them there (upstream: plugins/volumebinding/binder.go
// FindPodVolumes). Pure.
import type { Node } from "../../api/types/core-v1.ts";
import type { StorageClass } from "../../api/types/storage-v1.ts";
import { noProvisioner, volumeAnnotations } from "../../api/volume/annotations.ts";
import { claimClassOf, findVolume, suitsNode } from "../../api/volume/match.ts";
import type { Claim, Volume, VolumeView } from "./volume-view.ts";

/** A pod's claims by what has to happen to them. */
export interface ClaimSort {
  readonly bound: readonly Claim[];
  /** Wait for a pod: the scheduler chooses their volume or where it is made. */
  readonly delayed: readonly Claim[];
}

export interface VolumeDecision {
  readonly bindings: readonly { readonly claim: Claim; readonly volume: Volume }[];
  /** Claims whose volume is to be made for the node. */
  readonly provisions: readonly Claim[];
}

/** The text: why the pod can be nowhere for now. */
export function sortClaims(keys: readonly string[], view: VolumeView): ClaimSort | string {
  const bound: Claim[] = [];
  const delayed: Claim[] = [];
  let isUnbound = false;
  for (const key of keys) {
    const name = key.slice(key.indexOf("/") + 1);
    const claim = view.claim(key);
    if (claim === undefined) return `persistentvolumeclaim ${JSON.stringify(name)} not found`;
    const { volumeName = "" } = claim.spec ?? {};
    if (claim.status?.phase === "Lost")
      return `persistentvolumeclaim ${JSON.stringify(name)} bound to non-existent persistentvolume ${JSON.stringify(volumeName)}`;
    if (typeof claim.metadata.deletionTimestamp === "string")
      return `persistentvolumeclaim ${JSON.stringify(name)} is being deleted`;
    if (isBound(claim)) bound.push(claim);
    else if (volumeName === "" && isDelayed(claim, view)) delayed.push(claim);
    else isUnbound = true;
  }
  return isUnbound ? "pod has unbound immediate PersistentVolumeClaims" : { bound, delayed };
}

export function isBound({ spec, metadata }: Claim): boolean {
  const isDone = metadata.annotations?.[volumeAnnotations.bindCompleted] !== undefined;
  return isDone && (spec?.volumeName ?? "") !== "";
}

function isDelayed(claim: Claim, view: VolumeView): boolean {
  return view.storageClass(claimClassOf(claim))?.volumeBindingMode === "WaitForFirstConsumer";
}

/** Undefined: not all of them can be had there. */
export function decideVolumes(
  delayed: readonly Claim[],
  node: Node,
  view: VolumeView,
): VolumeDecision | undefined {
  const bindings: { claim: Claim; volume: Volume }[] = [];
  const provisions: Claim[] = [];
  const taken = new Set<string>();
  for (const claim of delayed) {
    const selected = claim.metadata.annotations?.[volumeAnnotations.selectedNode];
    if (selected !== undefined) {
      // Somebody is about to make it.
      if (selected !== node.metadata.name) return undefined;
      provisions.push(claim);
      continue;
    }
    const free = view.volumes().filter(({ metadata }) => !taken.has(metadata.name));
    const volume = findVolume(claim, free, { node, onlyReserved: false });
    if (volume !== undefined && suitsNode(volume, node)) {
      bindings.push({ claim, volume });
      taken.add(volume.metadata.name);
    } else if (canProvision(view.storageClass(claimClassOf(claim)), node)) provisions.push(claim);
    else return undefined;
  }
  return { bindings, provisions };
}

function canProvision(storageClass: StorageClass | undefined, node: Node): boolean {
  const { provisioner = "", allowedTopologies = [] } = storageClass ?? {};
  if (provisioner === "" || provisioner === noProvisioner) return false;
  const labels = node.metadata.labels ?? {};
  return (
    allowedTopologies.length === 0 ||
    allowedTopologies.some(({ matchLabelExpressions = [] }) =>
      matchLabelExpressions.every(({ key, values }) => (values ?? []).includes(labels[key] ?? "")),
    )
  );
}
