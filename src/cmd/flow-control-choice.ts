// Which flow control the options ask for.
import { type FlowControlChoice, inFlightDefaults } from "../cluster/flow-control.ts";
import { flowcontrolProfileOf, wavetankFlowControl } from "../flowcontrol/profile.ts";
import { type StartOptions, UsageError } from "./options.ts";

/** `minor`: of the Kubernetes to behave as. */
export function flowControlChoice(options: StartOptions, minor: number): FlowControlChoice {
  const maxRequestsInFlight = options.maxRequestsInFlight ?? inFlightDefaults.maxRequestsInFlight;
  const maxMutatingRequestsInFlight =
    options.maxMutatingRequestsInFlight ?? inFlightDefaults.maxMutatingRequestsInFlight;
  const isOurs = minor === ownMinor && options.listCost !== "kubernetes";
  const profile = isOurs ? wavetankFlowControl : flowcontrolProfileOf(minor);
  const enabled = options.priorityAndFairness ?? profile.enabled;
  if (enabled && maxRequestsInFlight + maxMutatingRequestsInFlight <= 0)
    throw new UsageError(
      "--max-requests-inflight and --max-mutating-requests-inflight must sum to more than 0 with Priority and Fairness",
    );
  return { enabled, profile, minor, maxRequestsInFlight, maxMutatingRequestsInFlight };
}

/** The minor that is served when nobody asks for another: with our own costs instead of guesses about another server. */
const ownMinor = 36;
