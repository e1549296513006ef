// When a claim or a volume that is deleted may really go: the claim when no pod on a node uses it, the volume when it is
// bound to no claim. Until then a finalizer keeps it (upstream: pkg/controller/volume/{pvcprotection,pvprotection}).
import type { PersistentVolume, Pod } from "../../api/types/core-v1.ts";
import type { ApiObject } from "../../client/served-object.ts";
import { isTerminating } from "../pods/pod-state.ts";

export const claimFinalizer = "kubernetes.io/pvc-protection";
export const volumeFinalizer = "kubernetes.io/pv-protection";

/** `release` means: if it is still unused when asked again. */
export type ProtectionPlan = "protect" | "release" | "nothing";

export function planProtection(
  object: ApiObject,
  finalizer: string,
  inUse: boolean,
): ProtectionPlan {
  const kept = object.metadata.finalizers?.includes(finalizer) ?? false;
  if (isTerminating(object)) return kept && !inUse ? "release" : "nothing";
  return kept ? "nothing" : "protect";
}

/** A pod without a node cannot start any more with a claim that is going away. */
export function usesClaims({ spec }: Pod): boolean {
  return (spec?.nodeName ?? "") !== "";
}

export function isBound({ status }: PersistentVolume): boolean {
  return status?.phase === "Bound";
}
