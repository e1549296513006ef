// Which taints a pod tolerates, and how long. Pure (upstream: component-helpers/scheduling/corev1, tainteviction).
import type { Taint, Toleration } from "../../api/types/core-v1.ts";

export function tolerates(toleration: Toleration, taint: Taint): boolean {
  const { key = "", operator = "", value = "", effect = "" } = toleration;
  if (effect !== "" && effect !== taint.effect) return false;
  if (key !== "" && key !== taint.key) return false;
  if (operator === "Exists") return true;
  return (operator === "" || operator === "Equal") && value === (taint.value ?? "");
}

export type Stay =
  | { readonly do: "stay" }
  | { readonly do: "go" }
  | { readonly do: "go later"; readonly afterMs: number };

/** For the NoExecute taints of a pod's node. */
export function stayOf(taints: readonly Taint[], tolerations: readonly Toleration[]): Stay {
  if (taints.length === 0) return { do: "stay" };
  const used = taints.map((taint) => tolerations.find((one) => tolerates(one, taint)));
  if (used.includes(undefined)) return { do: "go" };
  const seconds = used
    .map((one) => one?.tolerationSeconds)
    .filter((one) => one !== undefined)
    .map(Number);
  if (seconds.length === 0) return { do: "stay" };
  return { do: "go later", afterMs: Math.max(0, Math.min(...seconds)) * 1_000 };
}
