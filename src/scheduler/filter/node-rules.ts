// Filters that look at the node object alone: cordon, name, taints, affinity (upstream: plugins nodeunschedulable,
// nodename, tainttoleration, nodeaffinity).
import { matchesNodeAffinity } from "../../api/pod/node-affinity.ts";
import { findUntolerated, tolerates } from "../../api/pod/tolerations.ts";
import type { NodeFilter, Refusal } from "../plugin.ts";
import type { PodNeeds } from "../pod-facts.ts";

const refusal = (reason: string): Refusal => ({ reasons: [reason], resolvable: false });

const cordoned = refusal("node(s) were unschedulable");
const cordonTaint = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };

export const nodeUnschedulable: NodeFilter = {
  name: "NodeUnschedulable",
  wakers: ["node added", "node taints"],
  prepare({ tolerations }) {
    if (tolerations.some((one) => tolerates(one, cordonTaint))) return undefined;
    return ({ unschedulable }) => (unschedulable ? cordoned : undefined);
  },
};

const otherName = refusal("node(s) didn't match the requested node name");

export const nodeName: NodeFilter = {
  name: "NodeName",
  wakers: ["node added"],
  prepare({ placement }) {
    const wanted = placement.nodeName;
    if (wanted === "") return undefined;
    return ({ name }) => (name === wanted ? undefined : otherName);
  },
};

const tainted = refusal("node(s) had untolerated taint(s)");
const forbidding = ["NoSchedule", "NoExecute"];

export const taintToleration: NodeFilter = {
  name: "TaintToleration",
  wakers: ["node added", "node taints"],
  prepare({ tolerations }) {
    return ({ taints }) =>
      taints.length > 0 && findUntolerated(taints, tolerations, forbidding) !== undefined
        ? tainted
        : undefined;
  },
};

/** The only nodes that the pod can be on by the names it gives; undefined: it does not say. */
export function namedNodesOf({ placement }: PodNeeds): ReadonlySet<string> | undefined {
  const required = placement.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution;
  const { nodeSelectorTerms = [] } = required ?? {};
  if (nodeSelectorTerms.length === 0) return undefined;
  const names = new Set<string>();
  for (const { matchFields = [] } of nodeSelectorTerms) {
    const byName = matchFields.find(({ operator }) => operator === "In");
    if (byName === undefined) return undefined;
    for (const name of byName.values ?? []) names.add(name);
  }
  return names;
}

const unliked = refusal("node(s) didn't match Pod's node affinity/selector");

export const nodeAffinity: NodeFilter = {
  name: "NodeAffinity",
  wakers: ["node added", "node labels"],
  prepare({ placement }) {
    const { nodeSelector, affinity } = placement;
    const required = affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution;
    if (Object.keys(nodeSelector).length === 0 && required === undefined) return undefined;
    return ({ node }) => (matchesNodeAffinity(placement, node) ? undefined : unliked);
  },
};
