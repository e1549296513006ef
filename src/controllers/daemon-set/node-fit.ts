// Whether a node should run a DaemonSet's pod: by its name, its labels and its taints (upstream: NodeShouldRunDaemonPod in
// pkg/controller/daemon/daemon_controller.go). Resources are the scheduler's affair.
import type {
  Node,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodSpec,
  Taint,
  Toleration,
} from "../../api/types/core-v1.ts";

export interface Fit {
  /** A pod should be made there. */
  readonly shouldRun: boolean;
  /** A pod that is there may stay. */
  readonly mayStay: boolean;
}

const unfit: Fit = { shouldRun: false, mayStay: false };

/** `spec` is the pod's before it is bound to the node, with the tolerations that all daemon pods have. */
export function fitOf(node: Node, spec: PodSpec): Fit {
  const { name } = node.metadata;
  if (spec.nodeName !== undefined && spec.nodeName !== "" && spec.nodeName !== name) return unfit;
  if (!matchesAffinity(node, spec)) return unfit;
  const untolerated = (node.spec?.taints ?? []).filter(
    (taint) => !(spec.tolerations ?? []).some((toleration) => tolerates(toleration, taint)),
  );
  const shouldRun = untolerated.every(({ effect }) => effect === "PreferNoSchedule");
  return { shouldRun, mayStay: untolerated.every(({ effect }) => effect !== "NoExecute") };
}

/** What every daemon pod puts up with, so that it runs on nodes that are in trouble. */
export function daemonTolerations(spec: PodSpec): Toleration[] {
  const wanted: Toleration[] = [
    ["not-ready", "NoExecute"],
    ["unreachable", "NoExecute"],
    ["disk-pressure", "NoSchedule"],
    ["memory-pressure", "NoSchedule"],
    ["pid-pressure", "NoSchedule"],
    ["unschedulable", "NoSchedule"],
    ...(spec.hostNetwork === true ? [["network-unavailable", "NoSchedule"]] : []),
  ].map(([key, effect]) => ({
    key: `node.kubernetes.io/${key}`,
    operator: "Exists",
    effect: effect ?? "",
  }));
  const own = spec.tolerations ?? [];
  const isOwn = (one: Toleration): boolean =>
    own.some(
      ({ key, operator, effect, value = "", tolerationSeconds }) =>
        key === one.key &&
        operator === one.operator &&
        effect === one.effect &&
        value === "" &&
        tolerationSeconds === undefined,
    );
  return [...own, ...wanted.filter((one) => !isOwn(one))];
}

export function tolerates(toleration: Toleration, taint: Taint): boolean {
  const { key = "", operator = "Equal", value = "", effect = "" } = toleration;
  if (effect !== "" && effect !== taint.effect) return false;
  if (key !== "" && key !== taint.key) return false;
  if (operator === "Exists") return true;
  return key !== "" && value === (taint.value ?? "");
}

function matchesAffinity(node: Node, spec: PodSpec): boolean {
  const labels = node.metadata.labels ?? {};
  const selector = Object.entries(spec.nodeSelector ?? {});
  if (!selector.every(([key, value]) => labels[key] === value)) return false;
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (required === undefined) return true;
  return (required.nodeSelectorTerms ?? []).some((term) => matchesTerm(node, term));
}

/** A term without requirements matches nothing. */
function matchesTerm(node: Node, { matchExpressions, matchFields }: NodeSelectorTerm): boolean {
  const expressions = matchExpressions ?? [];
  const fields = matchFields ?? [];
  if (expressions.length + fields.length === 0) return false;
  const { labels = {}, name } = node.metadata;
  return (
    expressions.every((one) => matches(one, labels[one.key])) &&
    fields.every((one) => matches(one, one.key === "metadata.name" ? name : undefined))
  );
}

function matches(
  { operator, values = [] }: NodeSelectorRequirement,
  actual: string | undefined,
): boolean {
  switch (operator) {
    case "In":
      return actual !== undefined && values.includes(actual);
    case "NotIn":
      return actual === undefined || !values.includes(actual);
    case "Exists":
      return actual !== undefined;
    case "DoesNotExist":
      return actual === undefined;
    case "Gt":
      return isInteger(actual) && Number(actual) > Number(values[0]);
    case "Lt":
      return isInteger(actual) && Number(actual) < Number(values[0]);
    default:
      return false;
  }
}

function isInteger(text: string | undefined): text is string {
  return text !== undefined && /^[+-]?[0-9]+$/.test(text);
}
