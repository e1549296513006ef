// The pods of a DaemonSet: each is made for one node and says so in its affinity, so that the scheduler binds it there
// and nowhere else (upstream: pkg/controller/daemon/util/daemonset_util.go).
import type { DaemonSet } from "../../api/types/apps-v1.ts";
import type { NodeSelectorTerm, Pod, PodSpec } from "../../api/types/core-v1.ts";
import { podFromTemplate } from "../pods/pod-control.ts";
import { daemonTolerations } from "./node-fit.ts";

export const hashLabel = "controller-revision-hash";
const generationLabel = "pod-template-generation";
const generationAnnotation = "deprecated.daemonset.template.generation";
const nodeNameField = "metadata.name";

/** The template's spec as any node would get it. */
export function daemonSpec({ spec }: DaemonSet): PodSpec {
  const template = spec?.template.spec ?? {};
  return { ...template, tolerations: daemonTolerations(template) };
}

export function daemonPod(set: DaemonSet, nodeName: string, hash: string): Pod {
  const pod = podFromTemplate(set.spec?.template, set);
  const generation = set.metadata.annotations?.[generationAnnotation];
  const labels = {
    ...pod.metadata.labels,
    [hashLabel]: hash,
    ...(generation === undefined ? {} : { [generationLabel]: generation }),
  };
  const spec = daemonSpec(set);
  return {
    metadata: { ...pod.metadata, labels },
    spec: { ...spec, affinity: { ...spec.affinity, nodeAffinity: affinityTo(nodeName, spec) } },
  };
}

/** The node it is bound to, or made for; undefined when neither is said. */
export function nodeOf({ spec }: Pod): string | undefined {
  if (spec?.nodeName !== undefined && spec.nodeName !== "") return spec.nodeName;
  const terms =
    spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
      ?.nodeSelectorTerms ?? [];
  for (const { matchFields = [] } of terms) {
    const [field] = matchFields;
    if (field?.key === nodeNameField && field.operator === "In") return field.values?.[0];
  }
  return undefined;
}

export function isBound({ spec }: Pod): boolean {
  return (spec?.nodeName ?? "") !== "";
}

export function isUpdated({ metadata }: Pod, hash: string): boolean {
  return hash !== "" && metadata.labels?.[hashLabel] === hash;
}

/** Its required terms were judged when the node was chosen; now it is this node or none. */
function affinityTo(
  nodeName: string,
  { affinity }: PodSpec,
): NonNullable<NonNullable<PodSpec["affinity"]>["nodeAffinity"]> {
  const term: NodeSelectorTerm = {
    matchFields: [{ key: nodeNameField, operator: "In", values: [nodeName] }],
  };
  return {
    ...affinity?.nodeAffinity,
    requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] },
  };
}
