// Which API servers are gone: those that have not renewed their identity Lease for as long as it lasts (upstream:
// pkg/controlplane/controller/apiserverleasegc).
import { parseMicroTime } from "../../api/codec/time.ts";
import type { Lease } from "../../api/types/coordination-v1.ts";

export const leaseProfile = {
  namespace: "kube-system",
  labelSelector: "apiserver.kubernetes.io/identity=kube-apiserver",
  periodMs: 3_600_000,
} as const;

/** A Lease that does not say when it ends has ended. */
export function isExpired({ spec }: Lease, now: number): boolean {
  const { renewTime, leaseDurationSeconds } = spec ?? {};
  if (typeof renewTime !== "string" || leaseDurationSeconds === undefined) return true;
  return parseMicroTime(renewTime).seconds * 1_000 + leaseDurationSeconds * 1_000 < now;
}
