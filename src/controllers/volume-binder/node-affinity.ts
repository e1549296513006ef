// Whether a volume can be used on a node (upstream: component-helpers/storage/volume CheckNodeAffinity).
import { labelSelectorOf, matchesLabels, type Labels } from "../../api/meta/label-selector.ts";
import type { Node, NodeSelectorRequirement, VolumeNodeAffinity } from "../../api/types/core-v1.ts";

/** Any of the terms suffices; a term without requirements suits nothing. */
export function suitsNode(affinity: VolumeNodeAffinity | undefined, node: Node): boolean {
  const terms = affinity?.required?.nodeSelectorTerms;
  if (terms === undefined) return true;
  const { name = "", labels = {} } = node.metadata;
  return terms.some(({ matchExpressions = [], matchFields = [] }) => {
    if (matchExpressions.length + matchFields.length === 0) return false;
    return (
      matchExpressions.every((requirement) => matches(requirement, labels)) &&
      matchFields.every((requirement) => matches(requirement, { "metadata.name": name }))
    );
  });
}

function matches({ key, operator, values = [] }: NodeSelectorRequirement, labels: Labels): boolean {
  if (operator === "Gt" || operator === "Lt") {
    const [actual, bound] = [Number(labels[key] ?? Number.NaN), Number(values[0])];
    return operator === "Gt" ? actual > bound : actual < bound;
  }
  return matchesLabels(labelSelectorOf({ matchExpressions: [{ key, operator, values }] }), labels);
}
