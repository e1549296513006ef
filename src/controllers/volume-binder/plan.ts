// What becomes of a claim: the volume it gets, or why it waits, or that it has lost its volume (upstream:
// pkg/controller/volume/persistentvolume/pv_controller.go syncClaim).
import type { Node } from "../../api/types/core-v1.ts";
import type { StorageClass } from "../../api/types/storage-v1.ts";
import { noProvisioner, volumeAnnotations } from "../../api/volume/annotations.ts";
import type { Claim, Volume } from "./claim-and-volume.ts";
import { claimClassOf, findVolume, isReservedFor, misfit } from "../../api/volume/match.ts";

export interface ClaimView {
  readonly claim: Claim;
  readonly volumes: readonly Volume[];
  /** The claim's, if there is such a class. */
  readonly storageClass: StorageClass | undefined;
  /** Where a pod that uses the claim is to run, or runs. */
  readonly node: Node | undefined;
  /** A pod that uses the claim and has no node yet. */
  readonly waitingPod: string | undefined;
}

export interface Said {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

export type ClaimPlan =
  | { readonly do: "bind"; readonly volume: Volume }
  /** Also keeps the phase Pending; `provisioner` is who is to make a volume. */
  | { readonly do: "wait"; readonly said?: Said; readonly provisioner?: string }
  | { readonly do: "lose"; readonly said: Said };

export function planClaim(view: ClaimView): ClaimPlan {
  const { claim, volumes } = view;
  const name = claim.spec?.volumeName ?? "";
  const volume = volumes.find(({ metadata }) => metadata.name === name);
  if (claim.metadata.annotations?.[volumeAnnotations.bindCompleted] !== undefined)
    return planBound(claim, name, volume);
  if (name === "") return planFree(view);
  if (volume === undefined) return { do: "wait" };
  if (volume.spec?.claimRef !== undefined)
    return isReservedFor(volume, claim) ? { do: "bind", volume } : { do: "wait" };
  const why = misfit(volume, claim);
  if (why === undefined) return { do: "bind", volume };
  const message = `Cannot bind to requested volume ${JSON.stringify(name)}: ${why}`;
  return { do: "wait", said: { type: "Warning", reason: "VolumeMismatch", message } };
}

function planBound(claim: Claim, name: string, volume: Volume | undefined): ClaimPlan {
  const lost = (reason: string, message: string): ClaimPlan => ({
    do: "lose",
    said: { type: "Warning", reason, message },
  });
  if (name === "")
    return lost(
      "ClaimLost",
      "Bound claim has lost reference to PersistentVolume. Data on the volume is lost!",
    );
  if (volume === undefined)
    return lost(
      "ClaimLost",
      "Bound claim has lost its PersistentVolume. Data on the volume is lost!",
    );
  if (volume.spec?.claimRef === undefined || volume.spec.claimRef.uid === claim.metadata.uid)
    return { do: "bind", volume };
  return lost(
    "ClaimMisbound",
    "Two claims are bound to the same volume, this one is bound incorrectly",
  );
}

function planFree(view: ClaimView): ClaimPlan {
  const { claim, volumes, storageClass, node } = view;
  const delayed = storageClass?.volumeBindingMode === "WaitForFirstConsumer" && node === undefined;
  const volume = findVolume(claim, volumes, { node, onlyReserved: delayed });
  if (volume !== undefined) return { do: "bind", volume };
  if (delayed) return { do: "wait", said: whyDelayed(view.waitingPod) };
  return awaitProvisioner(claim, storageClass);
}

function whyDelayed(pod: string | undefined): Said {
  if (pod !== undefined) {
    const message = `waiting for pod ${pod} to be scheduled`;
    return { type: "Normal", reason: "WaitForPodScheduled", message };
  }
  const message = "waiting for first consumer to be created before binding";
  return { type: "Normal", reason: "WaitForFirstConsumer", message };
}

function awaitProvisioner(claim: Claim, storageClass: StorageClass | undefined): ClaimPlan {
  const name = claimClassOf(claim);
  if (name === "") {
    const message = "no persistent volumes available for this claim and no storage class is set";
    return { do: "wait", said: { type: "Normal", reason: "FailedBinding", message } };
  }
  if (storageClass === undefined) {
    const message = `storageclass.storage.k8s.io ${JSON.stringify(name)} not found`;
    return { do: "wait", said: { type: "Warning", reason: "ProvisioningFailed", message } };
  }
  const { provisioner } = storageClass;
  if (provisioner === noProvisioner) {
    const message = "no volume plugin matched name: kubernetes.io/no-provisioner";
    return { do: "wait", said: { type: "Warning", reason: "ProvisioningFailed", message } };
  }
  const message = `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.`;
  return {
    do: "wait",
    said: { type: "Normal", reason: "ExternalProvisioning", message },
    provisioner,
  };
}
