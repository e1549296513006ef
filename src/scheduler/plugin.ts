// The shapes of scheduling rules. A rule is prepared once a pod and then asked node by node; a rule that has nothing to
// say about a pod says so when it is prepared, and costs nothing. Rules about the node alone see only what pods need of
// a node, so that what they said holds for all pods that need the same (node-judge.ts).
import type { Cluster, NodeFacts, WholeCluster } from "./cluster-state.ts";
import type { PodFacts, PodNeeds } from "./pod-facts.ts";

export interface Refusal {
  /** As users read them: `Insufficient cpu`. */
  readonly reasons: readonly string[];
  /** Whether removing pods from the node could help. */
  readonly resolvable: boolean;
}

/** What happens in the cluster that may let a pod fit which did not. */
export type ClusterEvent =
  | "node added"
  | "node allocatable"
  | "node labels"
  | "node taints"
  | "pod assigned"
  | "pod gone"
  | "volume changed"
  | "namespace changed";

export type Check = (node: NodeFacts) => Refusal | undefined;

export interface Filter {
  /** Upstream's name. */
  readonly name: string;
  /** Events after which a pod that it refused is worth another try. */
  readonly wakers: readonly ClusterEvent[];
  /** Undefined: every node will do. */
  readonly prepare: (pod: PodFacts, cluster: Cluster) => Check | undefined;
}

/** A filter that looks at nothing but the node and what the pod needs of it. */
export interface NodeFilter extends Filter {
  readonly prepare: (needs: PodNeeds) => Check | undefined;
}

/** Scores of `nodes` by index, each 0 to 100, in view of the whole cluster. Undefined: all nodes are alike. */
export type Score = (
  pod: PodFacts,
  nodes: readonly NodeFacts[],
  cluster: WholeCluster,
) => number[] | undefined;

/** A node's score by itself. */
export type NodeScore = (needs: PodNeeds) => (node: NodeFacts) => number;

export const scoreMax = 100;

/** Stretches scores so that the largest is 100; `reverse`: so that the largest is 0. Undefined: all are 0. */
export function normalized(
  scores: readonly number[],
  reverse: "reverse" | "as is",
): number[] | undefined {
  const most = Math.max(0, ...scores);
  if (most === 0) return undefined;
  return scores.map((score) => {
    const part = Math.floor((scoreMax * score) / most);
    return reverse === "reverse" ? scoreMax - part : part;
  });
}
