// In which order a namespace is emptied, how long its pods may take to end, and when to look again. Pure (upstream:
// pkg/controller/namespace/deletion/namespaced_resources_deleter.go; pods first: KEP-5080).
import type { DiscoveredResource } from "../../client/discovery.ts";
import type { Pod } from "../../api/types/core-v1.ts";

/** How long finalizers of others are given. */
const finalizerSecondsEstimate = 15;

export function isPods({ group, resource }: DiscoveredResource): boolean {
  return group === "" && resource === "pods";
}

/** What can be emptied, in stages: a stage begins when the one before left nothing. Events of the deletions go last. */
export function stagesOf(resources: readonly DiscoveredResource[]): DiscoveredResource[][] {
  const deletable = resources.filter(
    ({ namespaced, verbs }) => namespaced && verbs.includes("delete"),
  );
  const isEvents = ({ resource }: DiscoveredResource): boolean => resource === "events";
  const pods = deletable.filter(isPods);
  const rest = deletable.filter((one) => !isPods(one) && !isEvents(one));
  return [pods, [...rest, ...deletable.filter(isEvents)]].filter((stage) => stage.length > 0);
}

/** Seconds that pods of a namespace deleted at `deletedAtMs` may still take to end by themselves. */
export function graceEstimate(pods: Iterable<Pod>, deletedAtMs: number, nowMs: number): number {
  let seconds = 0;
  for (const { spec, status } of pods) {
    if (status?.phase === "Succeeded" || status?.phase === "Failed") continue;
    seconds = Math.max(seconds, spec?.terminationGracePeriodSeconds ?? 0);
  }
  return nowMs - deletedAtMs >= seconds * 1_000 ? 0 : seconds;
}

export type ResourceVerdict =
  | { readonly do: "done" }
  | { readonly do: "wait"; readonly seconds: number }
  /** Nothing explains why objects are still there. */
  | { readonly do: "complain" };

export function verdictOf(left: {
  readonly count: number;
  readonly finalizers: number;
  readonly graceSeconds: number;
}): ResourceVerdict {
  if (left.count === 0) return { do: "done" };
  if (left.graceSeconds > 0) return { do: "wait", seconds: left.graceSeconds };
  if (left.finalizers > 0) return { do: "wait", seconds: finalizerSecondsEstimate };
  return { do: "complain" };
}

/** Half of what it is thought to take, as upstream. */
export function lookAgainMs(estimateSeconds: number): number {
  return (Math.floor(estimateSeconds / 2) + 1) * 1_000;
}
