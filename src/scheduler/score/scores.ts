// All scores of the nodes that would do, added up by their weights. Only differences count: what all nodes would get
// alike is left out.
import type { WholeCluster } from "../cluster-state.ts";
import type { NodeJudgement } from "../node-judge.ts";
import { normalized } from "../plugin.ts";
import type { PodFacts } from "../pod-facts.ts";
import type { SchedulerProfile } from "../profile.ts";
import { interPodScore } from "./inter-pod-score.ts";
import { topologyScore } from "./topology-score.ts";

export function totalScores(
  pod: PodFacts,
  judgements: readonly NodeJudgement[],
  {
    cluster,
    weights,
  }: { readonly cluster: WholeCluster; readonly weights: SchedulerProfile["weights"] },
): number[] {
  const totals = judgements.map(({ points }) => points);
  const add = (scores: readonly number[] | undefined, weight: number): void => {
    if (scores === undefined) return;
    for (let at = 0; at < totals.length; at++) totals[at]! += weight * scores[at]!;
  };
  const taints = judgements.map(({ untolerated }) => untolerated);
  const preferences = judgements.map(({ preferred }) => preferred);
  const nodes = judgements.map(({ node }) => node);
  add(normalized(taints, "reverse"), weights.taintToleration);
  add(normalized(preferences, "as is"), weights.nodeAffinity);
  add(topologyScore(pod, nodes, cluster), weights.topologySpread);
  add(interPodScore(pod, nodes, cluster), weights.interPodAffinity);
  return totals;
}
