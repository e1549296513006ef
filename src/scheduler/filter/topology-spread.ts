// Constraints that forbid a pod where its kind is already more than maxSkew ahead of the emptiest domain (upstream:
// plugins/podtopologyspread/filtering.go, common.go).
import {
  type LabelSelector,
  labelSelectorOf,
  matchesLabels,
} from "../../api/meta/label-selector.ts";
import { matchesNodeAffinity } from "../../api/pod/node-affinity.ts";
import { findUntolerated } from "../../api/pod/tolerations.ts";
import type { TopologySpreadConstraint } from "../../api/types/core-v1.ts";
import type { Cluster, NodeFacts } from "../cluster-state.ts";
import type { Filter, Refusal } from "../plugin.ts";
import type { PodFacts } from "../pod-facts.ts";

const uneven: Refusal = {
  reasons: ["node(s) didn't match pod topology spread constraints"],
  resolvable: true,
};
const unlabelled: Refusal = {
  reasons: ["node(s) didn't match pod topology spread constraints (missing required label)"],
  resolvable: false,
};

export const podTopologySpread: Filter = {
  name: "PodTopologySpread",
  wakers: ["node added", "node labels", "node taints", "pod assigned", "pod gone"],
  prepare(pod, cluster) {
    const hard = constraintsOf(pod, "DoNotSchedule");
    if (hard.length === 0) return undefined;
    const counts = hard.map((one) => countDomains(pod, one, { all: hard, cluster }));
    return ({ labels }) => {
      for (const [index, { constraint, selector }] of hard.entries()) {
        const value = labels[constraint.topologyKey];
        if (value === undefined) return unlabelled;
        const { perDomain, least } = counts[index]!;
        const self = matchesLabels(selector, pod.labels) ? 1 : 0;
        const skew = (perDomain.get(value) ?? 0) + self - least;
        if (skew > constraint.maxSkew) return uneven;
      }
      return undefined;
    };
  },
};

export interface SpreadConstraint {
  readonly constraint: TopologySpreadConstraint;
  readonly selector: LabelSelector;
}

export function constraintsOf(
  { pod, labels }: PodFacts,
  when: "DoNotSchedule" | "ScheduleAnyway",
): SpreadConstraint[] {
  return (pod.spec?.topologySpreadConstraints ?? [])
    .filter(({ whenUnsatisfiable }) => whenUnsatisfiable === when)
    .map((constraint) => ({
      constraint,
      selector: [
        ...labelSelectorOf(constraint.labelSelector),
        ...(constraint.matchLabelKeys ?? [])
          .filter((key) => Object.hasOwn(labels, key))
          .map((key) => ({ key, operator: "in" as const, values: [labels[key]!] })),
      ],
    }));
}

interface DomainCounts {
  readonly perDomain: ReadonlyMap<string, number>;
  readonly least: number;
}

function countDomains(
  pod: PodFacts,
  { constraint, selector }: SpreadConstraint,
  { all, cluster }: { readonly all: readonly SpreadConstraint[]; readonly cluster: Cluster },
): DomainCounts {
  const perDomain = new Map<string, number>();
  for (const node of cluster.nodes) {
    if (!all.every((one) => node.labels[one.constraint.topologyKey] !== undefined)) continue;
    if (!counts(pod, node, constraint)) continue;
    const value = node.labels[constraint.topologyKey]!;
    perDomain.set(value, (perDomain.get(value) ?? 0) + countPods(node, pod.namespace, selector));
  }
  // Fewer domains than there should be: the missing ones are empty.
  const isShort = perDomain.size < (constraint.minDomains ?? 1);
  return { perDomain, least: isShort ? 0 : Math.min(...perDomain.values()) };
}

/** Whether the node's pods count for the constraint. */
export function counts(
  { pod, tolerations }: PodFacts,
  { node, taints }: NodeFacts,
  constraint: TopologySpreadConstraint,
): boolean {
  const { nodeAffinityPolicy = "Honor", nodeTaintsPolicy = "Ignore" } = constraint;
  if (nodeAffinityPolicy === "Honor" && !matchesNodeAffinity(pod.spec ?? {}, node)) return false;
  const forbidding = ["NoSchedule", "NoExecute"];
  return (
    nodeTaintsPolicy !== "Honor" || findUntolerated(taints, tolerations, forbidding) === undefined
  );
}

/** Pods that are being deleted no longer count. */
export function countPods({ pods }: NodeFacts, namespace: string, selector: LabelSelector): number {
  let count = 0;
  for (const one of pods.values()) {
    if (one.namespace !== namespace || !matchesLabels(selector, one.labels)) continue;
    if (typeof one.pod.metadata.deletionTimestamp !== "string") count++;
  }
  return count;
}
