// Which flow control the options ask for.
import { type FlowControlChoice, usualFlowControl } from "../cluster/flow-control.ts";
import type { KubernetesProfile } from "../cluster/kubernetes-profile.ts";
import { type StartOptions, UsageError } from "./options.ts";

/** Who asks for a version of Kubernetes gets its estimates; others get our own. */
export function flowControlChoice(
  options: StartOptions,
  { minor, flowControl }: Pick<KubernetesProfile, "minor" | "flowControl">,
): FlowControlChoice {
  const profile = options.kubernetesVersion === undefined ? usualFlowControl.profile : flowControl;
  const {
    priorityAndFairness: enabled = profile.enabled,
    maxRequestsInFlight = usualFlowControl.maxRequestsInFlight,
    maxMutatingRequestsInFlight = usualFlowControl.maxMutatingRequestsInFlight,
  } = options;
  if (enabled && maxRequestsInFlight + maxMutatingRequestsInFlight <= 0)
    throw new UsageError(
      "--max-requests-inflight and --max-mutating-requests-inflight are 0: no request would run",
    );
  return { enabled, profile, minor, maxRequestsInFlight, maxMutatingRequestsInFlight };
}
