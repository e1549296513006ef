// Scores that look at one node at a time: preferred taints and affinity, how much is left, how evenly (upstream: plugins
// tainttoleration, nodeaffinity, noderesources/{least_allocated,balanced_allocation}.go).
import { matchesNodeSelectorTerm } from "../../api/pod/node-affinity.ts";
import { tolerates } from "../../api/pod/tolerations.ts";
import type { NodeFacts } from "../cluster-state.ts";
import { type Score, normalized, scoreMax } from "../plugin.ts";
import type { PodFacts } from "../pod-facts.ts";

export const taintScore: Score = (pod, nodes) => {
  const bearing = pod.tolerations.filter(
    ({ effect = "" }) => effect === "" || effect === "PreferNoSchedule",
  );
  const counts = nodes.map(
    ({ taints }) =>
      taints.filter(
        (taint) =>
          taint.effect === "PreferNoSchedule" && !bearing.some((one) => tolerates(one, taint)),
      ).length,
  );
  return normalized(counts, "reverse");
};

export const affinityScore: Score = ({ pod }, nodes) => {
  const preferred =
    pod.spec?.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  if (preferred.length === 0) return nodes.map(() => 0);
  const sums = nodes.map(({ node }) =>
    preferred
      .filter(({ preference }) => matchesNodeSelectorTerm(preference, node))
      .reduce((sum, { weight }) => sum + weight, 0),
  );
  return normalized(sums, "as is");
};

export const leastAllocatedScore: Score = (pod, nodes) =>
  nodes.map((node) => {
    const { cpu, memory } = sharesWith(node, pod);
    return Math.floor((leftOf(cpu) + leftOf(memory)) / 2);
  });

function leftOf(share: number): number {
  return Math.floor(Math.max(0, 1 - share) * scoreMax);
}

/** The closer the shares of cpu and memory are to each other, the better. */
export const balancedScore: Score = (pod, nodes) => {
  // A pod that requests nothing leaves the balance as it is.
  if ((pod.requests["cpu"] ?? 0) + (pod.requests["memory"] ?? 0) === 0) return nodes.map(() => 0);
  return nodes.map((node) => {
    const cpu = shareOf(node, "cpu", pod.requests["cpu"] ?? 0);
    const memory = shareOf(node, "memory", pod.requests["memory"] ?? 0);
    return Math.floor((1 - Math.abs(cpu - memory) / 2) * scoreMax);
  });
};

function shareOf(node: NodeFacts, name: string, more: number): number {
  const allocatable = node.allocatable[name] ?? 0;
  if (allocatable === 0) return 1;
  return Math.min(1, ((node.requested[name] ?? 0) + more) / allocatable);
}

function sharesWith(node: NodeFacts, pod: PodFacts): { cpu: number; memory: number } {
  const share = (name: "cpu" | "memory"): number => {
    const allocatable = node.allocatable[name] ?? 0;
    return allocatable === 0 ? 1 : (node.scored[name] + pod.scored[name]) / allocatable;
  };
  return { cpu: share("cpu"), memory: share("memory") };
}
