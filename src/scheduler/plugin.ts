// The two shapes that every scheduling rule has. A rule is prepared once a pod and then asked node by node; a rule that
// has nothing to say about a pod says so when it is prepared, and costs nothing.
import type { Cluster, NodeFacts } from "./cluster-state.ts";
import type { PodFacts } from "./pod-facts.ts";

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

/** Scores of `nodes` by index, each 0 to 100 times the weight. */
export type Score = (pod: PodFacts, nodes: readonly NodeFacts[], cluster: Cluster) => number[];

export const scoreMax = 100;

/** Stretches scores so that the largest is 100; `reverse`: so that the largest is 0. */
export function normalized(scores: readonly number[], reverse: "reverse" | "as is"): number[] {
  const most = Math.max(0, ...scores);
  if (most === 0) return scores.map(() => (reverse === "reverse" ? scoreMax : 0));
  return scores.map((score) => {
    const part = Math.floor((scoreMax * score) / most);
    return reverse === "reverse" ? scoreMax - part : part;
  });
}
