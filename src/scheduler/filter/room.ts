// Filters about what is left on the node: host ports, resources, places for pods (upstream: plugins nodeports and
// noderesources/fit.go).
import type { NodeFacts } from "../cluster-state.ts";
import type { NodeFilter, Refusal } from "../plugin.ts";
import type { HostPort } from "../pod-facts.ts";

const portsTaken: Refusal = {
  reasons: ["node(s) didn't have free ports for the requested pod ports"],
  resolvable: true,
};

export const nodePorts: NodeFilter = {
  name: "NodePorts",
  wakers: ["node added", "pod gone"],
  prepare({ ports }) {
    if (ports.length === 0) return undefined;
    return (node) =>
      node.ports.some((taken) => ports.some((wanted) => collide(taken, wanted)))
        ? portsTaken
        : undefined;
  },
};

function collide(a: HostPort, b: HostPort): boolean {
  if (a.port !== b.port || a.protocol !== b.protocol) return false;
  return a.ip === b.ip || a.ip === anyAddress || b.ip === anyAddress;
}

const anyAddress = "0.0.0.0";

export const nodeResourcesFit: NodeFilter = {
  name: "NodeResourcesFit",
  wakers: ["node added", "node allocatable", "pod gone"],
  prepare({ requests }) {
    const wanted = Object.entries(requests).filter(([, amount]) => amount > 0);
    return (node) => shortage(node, wanted);
  },
};

function shortage(
  node: NodeFacts,
  wanted: readonly (readonly [string, number])[],
): Refusal | undefined {
  let reasons: string[] | undefined;
  let resolvable = true;
  if (node.pods.size + 1 > (node.allocatable["pods"] ?? 0)) reasons = ["Too many pods"];
  for (const [name, amount] of wanted) {
    const allocatable = node.allocatable[name] ?? 0;
    if (amount <= allocatable - (node.requested[name] ?? 0)) continue;
    (reasons ??= []).push(`Insufficient ${name}`);
    // Not even an empty node would do.
    if (amount > allocatable) resolvable = false;
  }
  return reasons === undefined ? undefined : { reasons, resolvable };
}
