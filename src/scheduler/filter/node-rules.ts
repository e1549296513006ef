// Filters that look at the node object alone: cordon, name, taints, affinity (upstream: plugins nodeunschedulable,
// nodename, tainttoleration, nodeaffinity).
import { matchesNodeAffinity } from "../../api/pod/node-affinity.ts";
import { findUntolerated, tolerates } from "../../api/pod/tolerations.ts";
import type { Filter, Refusal } from "../plugin.ts";

const refusal = (reason: string): Refusal => ({ reasons: [reason], resolvable: false });

const cordoned = refusal("node(s) were unschedulable");
const cordonTaint = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };

export const nodeUnschedulable: Filter = {
  name: "NodeUnschedulable",
  wakers: ["node added", "node taints"],
  prepare({ tolerations }) {
    if (tolerations.some((one) => tolerates(one, cordonTaint))) return undefined;
    return ({ unschedulable }) => (unschedulable ? cordoned : undefined);
  },
};

const otherName = refusal("node(s) didn't match the requested node name");

export const nodeName: Filter = {
  name: "NodeName",
  wakers: ["node added"],
  prepare({ pod }) {
    const wanted = pod.spec?.nodeName ?? "";
    if (wanted === "") return undefined;
    return ({ name }) => (name === wanted ? undefined : otherName);
  },
};

const tainted = refusal("node(s) had untolerated taint(s)");
const forbidding = ["NoSchedule", "NoExecute"];

export const taintToleration: Filter = {
  name: "TaintToleration",
  wakers: ["node added", "node taints"],
  prepare({ tolerations }) {
    return ({ taints }) =>
      taints.length > 0 && findUntolerated(taints, tolerations, forbidding) !== undefined
        ? tainted
        : undefined;
  },
};

const unliked = refusal("node(s) didn't match Pod's node affinity/selector");

export const nodeAffinity: Filter = {
  name: "NodeAffinity",
  wakers: ["node added", "node labels"],
  prepare({ pod }) {
    const { spec = {} } = pod;
    const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
    if (spec.nodeSelector === undefined && required === undefined) return undefined;
    return ({ node }) => (matchesNodeAffinity(spec, node) ? undefined : unliked);
  },
};
