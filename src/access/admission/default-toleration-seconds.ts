// DefaultTolerationSeconds: pods stay five minutes on a node that is not ready or unreachable, unless they say otherwise
// (upstream: plugin/pkg/admission/defaulttolerationseconds).
import type { PodSpec, Toleration } from "../../api/types/core-v1.ts";
import type { AdmissionStep } from "./chain.ts";

const taints: readonly string[] = [
  "node.kubernetes.io/not-ready",
  "node.kubernetes.io/unreachable",
];
const tolerationSeconds = 300;

export const defaultTolerationSeconds: AdmissionStep = (attributes) => {
  const { operation, resource, subresource, object } = attributes;
  if (resource.group !== "" || resource.resource !== "pods" || subresource !== "") return;
  if (operation !== "CREATE" && operation !== "UPDATE") return;
  const spec = object?.["spec"] as PodSpec | undefined;
  if (spec === undefined) return;
  const present = spec.tolerations ?? [];
  const missing = taints.filter((key) => !present.some((toleration) => tolerates(toleration, key)));
  if (missing.length === 0) return;
  const added = missing.map((key) => ({
    key,
    operator: "Exists",
    effect: "NoExecute",
    tolerationSeconds,
  }));
  spec.tolerations = [...present, ...added];
};

/** An empty key or effect tolerates every key or effect. */
function tolerates({ key = "", effect = "" }: Toleration, taint: string): boolean {
  return (key === "" || key === taint) && (effect === "" || effect === "NoExecute");
}
