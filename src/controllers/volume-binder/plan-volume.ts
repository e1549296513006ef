// What becomes of a volume: free, taken, left behind by its claim, or to be let go (upstream: pv_controller.go
// syncVolume). Volumes are not deleted here: no plugin that could is part of this cluster.
import { volumeAnnotations } from "../../api/volume/annotations.ts";
import type { Claim, Volume } from "./claim-and-volume.ts";
import type { Said } from "./plan.ts";

export type VolumePlan =
  | {
      readonly do: "phase";
      readonly phase: string;
      readonly said?: Said;
      readonly message?: string;
    }
  /** Takes back a reservation that came to nothing. */
  | { readonly do: "unbind" }
  /** The claim has to do the next step. */
  | { readonly do: "wakeClaim" };

/** `claim` is who the volume's claimRef names, if there is one by that name. */
export function planVolume(volume: Volume, claim: Claim | undefined): VolumePlan {
  const ref = volume.spec?.claimRef;
  if (ref === undefined) return { do: "phase", phase: "Available" };
  if (ref.uid === undefined || ref.uid === "")
    return claim === undefined ? { do: "phase", phase: "Available" } : { do: "wakeClaim" };
  // A claim of the same name made anew is another claim.
  if (claim === undefined || claim.metadata.uid !== ref.uid) return planReleased(volume);
  const name = claim.spec?.volumeName ?? "";
  if (name === "") return { do: "wakeClaim" };
  if (name === volume.metadata.name) return { do: "phase", phase: "Bound" };
  const byController =
    volume.metadata.annotations?.[volumeAnnotations.boundByController] !== undefined;
  return byController ? { do: "unbind" } : { do: "phase", phase: "Available" };
}

function planReleased({ metadata, spec, status }: Volume): VolumePlan {
  const policy = spec?.persistentVolumeReclaimPolicy ?? "Retain";
  const external = metadata.annotations?.[volumeAnnotations.provisionedBy] !== undefined;
  if (policy === "Retain" || external) return { do: "phase", phase: "Released" };
  const message =
    policy === "Recycle"
      ? "no volume plugin matched"
      : `error getting deleter volume plugin for volume ${JSON.stringify(metadata.name)}: no deletable volume plugin matched`;
  const reason = policy === "Recycle" ? "VolumeFailedRecycle" : "VolumeFailedDelete";
  const said: Said = { type: "Warning", reason, message };
  return { do: "phase", phase: "Failed", message, ...(status?.phase === "Failed" ? {} : { said }) };
}
