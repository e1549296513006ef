// RunawayOwner, which Kubernetes lacks: a controller whose pods end before they run may not replace them without end.
// Refuses creates of pods with 429 and says who is refused and what to do; the law and the accounts are in
// runaway-owner/. It stands last, so that what others refuse is not counted.
import { tooManyRequests } from "../../api/meta/errors.ts";
import type { OwnerReference } from "../../api/types/meta-v1.ts";
import { type OwnerLedger, ownerKey } from "../runaway-owner/owner-ledger.ts";
import type { AdmissionStep } from "./chain.ts";

/** An owner ran out of its budget; told once a window. */
export interface RunawayReport {
  readonly owner: OwnerReference;
  /** Of the pods. */
  readonly namespace: string;
  /** For people who look at the owner. */
  readonly message: string;
}

export interface RunawayGuard {
  readonly ledger: OwnerLedger;
  /** Must not wait and not throw. */
  report(report: RunawayReport): void;
}

export function runawayOwner(guard: RunawayGuard): AdmissionStep {
  const { ledger } = guard;
  return ({ operation, resource, subresource, namespace, object, dryRun }) => {
    if (operation !== "CREATE" || subresource !== "" || resource.resource !== "pods") return;
    // A dry run makes no pod, so it neither spends budget nor probes.
    if (resource.group !== "" || dryRun) return;
    const owner = controllerOf(object?.metadata.ownerReferences);
    if (owner === undefined) return;
    const verdict = ledger.ask(ownerKey(namespace, owner.uid), owner.kind);
    if (verdict.kind === "Admitted") return;
    const { retryAfterSeconds: seconds } = verdict;
    const minutes = Math.round(ledger.law.windowMs / 60_000);
    const facts =
      `${verdict.replaced} pods of ${owner.kind} "${owner.name}" in namespace "${namespace}" were replaced ` +
      `within ${minutes} minutes though none of them ever ran`;
    const advice = `Find out why they do not run (kubectl describe pod), or delete the ${owner.kind}.`;
    if (verdict.isNews) {
      const message = `Creating pods is slowed down: ${facts}. ${advice}`;
      guard.report({ owner, namespace, message });
    }
    throw tooManyRequests(`runaway owner: ${facts}. ${advice} Retry in ${seconds} s.`, seconds);
  };
}

export function controllerOf(
  references: readonly OwnerReference[] | undefined,
): OwnerReference | undefined {
  return references?.find(({ controller }) => controller === true);
}
