// TaintNodesByCondition: a new node takes no pods until the node lifecycle controller has seen it ready (upstream:
// plugin/pkg/admission/nodetaint).
import type { Node } from "../../api/types/core-v1.ts";
import type { AdmissionStep } from "./chain.ts";

const taint = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" };

export const taintNewNodes: AdmissionStep = ({ operation, resource, subresource, object }) => {
  if (operation !== "CREATE" || subresource !== "" || object === undefined) return;
  if (resource.group !== "" || resource.resource !== "nodes") return;
  const node = object as Node;
  const taints = node.spec?.taints ?? [];
  const has = taints.some(({ key, effect }) => key === taint.key && effect === taint.effect);
  if (!has) node.spec = { ...node.spec, taints: [...taints, { ...taint }] };
};
