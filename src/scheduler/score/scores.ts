// All scores of the nodes that would do, added up by their weights.
import type { Cluster, NodeFacts } from "../cluster-state.ts";
import type { Score } from "../plugin.ts";
import type { PodFacts } from "../pod-facts.ts";
import type { SchedulerProfile } from "../profile.ts";
import { interPodScore } from "./inter-pod-score.ts";
import { affinityScore, balancedScore, leastAllocatedScore, taintScore } from "./node-scores.ts";
import { topologyScore } from "./topology-score.ts";

export function totalScores(
  pod: PodFacts,
  nodes: readonly NodeFacts[],
  {
    cluster,
    weights,
  }: { readonly cluster: Cluster; readonly weights: SchedulerProfile["weights"] },
): number[] {
  const scores: readonly (readonly [Score, number])[] = [
    [taintScore, weights.taintToleration],
    [affinityScore, weights.nodeAffinity],
    [topologyScore, weights.topologySpread],
    [interPodScore, weights.interPodAffinity],
    [leastAllocatedScore, weights.leastAllocated],
    [balancedScore, weights.balancedAllocation],
  ];
  const totals = nodes.map(() => 0);
  for (const [score, weight] of scores)
    for (const [index, points] of score(pod, nodes, cluster).entries())
      totals[index]! += weight * points;
  return totals;
}
