// Whether a node is one of those a pod allows by nodeSelector and required node affinity, and which preferred terms a
// node meets (upstream: component-helpers/scheduling/corev1/nodeaffinity).
import type {
  Node,
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodSpec,
} from "../types/core-v1.ts";

export function matchesNodeAffinity(spec: PodSpec, node: Node): boolean {
  const labels = node.metadata.labels ?? {};
  for (const [key, value] of Object.entries(spec.nodeSelector ?? {}))
    if (labels[key] !== value) return false;
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required === undefined || matchesNodeSelector(required, node);
}

/** Terms are alternatives; none at all match nothing. */
export function matchesNodeSelector({ nodeSelectorTerms = [] }: NodeSelector, node: Node): boolean {
  return nodeSelectorTerms.some((term) => matchesNodeSelectorTerm(term, node));
}

/** An empty term matches nothing. */
export function matchesNodeSelectorTerm(term: NodeSelectorTerm, node: Node): boolean {
  const { matchExpressions = [], matchFields = [] } = term;
  if (matchExpressions.length + matchFields.length === 0) return false;
  const labels = node.metadata.labels ?? {};
  const fields = { "metadata.name": node.metadata.name ?? "" };
  return (
    matchExpressions.every((one) => meets(one, labels)) &&
    matchFields.every((one) => meets(one, fields))
  );
}

function meets(
  { key, operator, values = [] }: NodeSelectorRequirement,
  labels: Readonly<Record<string, string>>,
): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    default: {
      if (!/^-?\d+$/.test(value ?? "") || !/^-?\d+$/.test(values[0] ?? "")) return false;
      const [left, right] = [Number(value), Number(values[0])];
      return operator === "Gt" ? left > right : operator === "Lt" && left < right;
    }
  }
}
