// Whether a node takes a pod that was bound to it. The scheduler may be wrong or may not have been asked, so the node
// looks itself, with the real kubelet's words (upstream: kubelet/lifecycle/predicate.go, kubelet.go rejectPod).
import { type Amounts, amountsOf, podRequests } from "../api/pod/amounts.ts";
import { matchesNodeAffinity } from "../api/pod/node-affinity.ts";
import { findUntolerated } from "../api/pod/tolerations.ts";
import type { Node, Pod } from "../api/types/core-v1.ts";

export interface Rejection {
  /** `OutOfcpu`, `NodeAffinity`, ... */
  readonly reason: string;
  readonly message: string;
}

/** What the pods that the node has admitted and that have not ended occupy. */
export interface Occupied {
  readonly pods: number;
  readonly requests: Amounts;
}

/** Resources in the order in which they are looked at; the rest follows. */
const firstResources = ["cpu", "memory", "ephemeral-storage"];

/** Undefined: it is admitted. */
export function refusalOf(pod: Pod, node: Node, occupied: Occupied): Rejection | undefined {
  const allocatable = amountsOf(node.status?.allocatable);
  const short = shortage(pod, allocatable, occupied);
  if (short !== undefined) return short;
  if (!matchesNodeAffinity(pod.spec ?? {}, node))
    return unmet("NodeAffinity", "node(s) didn't match Pod's node affinity/selector");
  const { taints = [] } = node.spec ?? {};
  if (findUntolerated(taints, pod.spec?.tolerations ?? [], ["NoExecute"]) !== undefined)
    return unmet("TaintToleration", "node(s) had taints that the pod didn't tolerate");
  return undefined;
}

function shortage(pod: Pod, allocatable: Amounts, occupied: Occupied): Rejection | undefined {
  const pods = allocatable["pods"] ?? 0;
  if (occupied.pods + 1 > pods)
    return outOf("pods", { requested: 1, used: occupied.pods, capacity: pods });
  const requests = podRequests(pod.spec);
  const others = Object.keys(requests).filter((name) => !firstResources.includes(name));
  for (const name of [...firstResources, ...others]) {
    const requested = requests[name] ?? 0;
    const used = occupied.requests[name] ?? 0;
    const capacity = allocatable[name] ?? 0;
    if (requested > 0 && used + requested > capacity)
      return outOf(name, { requested, used, capacity });
  }
  return undefined;
}

function outOf(
  resource: string,
  { requested, used, capacity }: { requested: number; used: number; capacity: number },
): Rejection {
  const figures = `requested: ${requested}, used: ${used}, capacity: ${capacity}`;
  return {
    reason: `OutOf${resource}`,
    message: `Node didn't have enough resource: ${resource}, ${figures}`,
  };
}

function unmet(predicate: string, why: string): Rejection {
  return { reason: predicate, message: `Predicate ${predicate} failed: ${why}` };
}
