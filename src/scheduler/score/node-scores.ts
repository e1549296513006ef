// Scores that look at one node at a time: preferred taints and affinity, how much is left, how evenly (upstream: plugins
// tainttoleration, nodeaffinity, noderesources/{least_allocated,balanced_allocation}.go).
import { matchesNodeSelectorTerm } from "../../api/pod/node-affinity.ts";
import { tolerates } from "../../api/pod/tolerations.ts";
import type { NodeFacts } from "../cluster-state.ts";
import { type NodeScore, scoreMax } from "../plugin.ts";
import type { PodNeeds } from "../pod-facts.ts";

/** How many taints that wish pods away are not tolerated; the fewest are best. */
export const untoleratedTaints: NodeScore = ({ tolerations }) => {
  const bearing = tolerations.filter(
    ({ effect = "" }) => effect === "" || effect === "PreferNoSchedule",
  );
  return ({ taints }) =>
    taints.filter(
      (taint) =>
        taint.effect === "PreferNoSchedule" && !bearing.some((one) => tolerates(one, taint)),
    ).length;
};

/** Weights of the preferences that the node meets; the most are best. */
export const metPreferences: NodeScore = ({ placement }) => {
  const preferred =
    placement.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  if (preferred.length === 0) return () => 0;
  return ({ node }) =>
    preferred
      .filter(({ preference }) => matchesNodeSelectorTerm(preference, node))
      .reduce((sum, { weight }) => sum + weight, 0);
};

/** 0 to 100. */
export const leastAllocatedScore: NodeScore = (needs) => (node) => {
  const { cpu, memory } = sharesWith(node, needs);
  return Math.floor((leftOf(cpu) + leftOf(memory)) / 2);
};

function leftOf(share: number): number {
  return Math.floor(Math.max(0, 1 - share) * scoreMax);
}

/** 0 to 100: the closer the shares of cpu and memory are to each other, the better. */
export const balancedScore: NodeScore = ({ requests }) => {
  const { cpu: moreCpu = 0, memory: moreMemory = 0 } = requests;
  // A pod that requests nothing leaves the balance as it is.
  if (moreCpu + moreMemory === 0) return () => 0;
  return (node) => {
    const cpu = shareOf(node, "cpu", moreCpu);
    const memory = shareOf(node, "memory", moreMemory);
    return Math.floor((1 - Math.abs(cpu - memory) / 2) * scoreMax);
  };
};

function shareOf(node: NodeFacts, name: string, more: number): number {
  const allocatable = node.allocatable[name] ?? 0;
  if (allocatable === 0) return 1;
  return Math.min(1, ((node.requested[name] ?? 0) + more) / allocatable);
}

function sharesWith(node: NodeFacts, needs: PodNeeds): { cpu: number; memory: number } {
  const share = (name: "cpu" | "memory"): number => {
    const allocatable = node.allocatable[name] ?? 0;
    return allocatable === 0 ? 1 : (node.scored[name] + needs.scored[name]) / allocatable;
  };
  return { cpu: share("cpu"), memory: share("memory") };
}
