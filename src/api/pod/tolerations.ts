// Whether pods put up with a node's taints (upstream: component-helpers/scheduling/corev1/helpers.go).
import type { Taint, Toleration } from "../types/core-v1.ts";

/** An empty key, operator or effect stands for all of them. */
export function tolerates(toleration: Toleration, taint: Taint): boolean {
  const { key = "", operator = "Equal", value = "", effect = "" } = toleration;
  if (effect !== "" && effect !== taint.effect) return false;
  if (key !== "" && key !== taint.key) return false;
  if (operator === "Exists") return true;
  if (operator === "Lt" || operator === "Gt") return compares(operator, taint.value, value);
  return key !== "" && value === (taint.value ?? "");
}

/** Taint values that are whole numbers may be compared (KEP-5471). */
function compares(operator: "Lt" | "Gt", of: string | undefined, bound: string): boolean {
  if (!/^-?\d+$/.test(of ?? "") || !/^-?\d+$/.test(bound)) return false;
  return operator === "Lt" ? Number(of) < Number(bound) : Number(of) > Number(bound);
}

/** The first taint with one of `effects` that no toleration covers. */
export function findUntolerated(
  taints: readonly Taint[],
  tolerations: readonly Toleration[],
  effects: readonly string[],
): Taint | undefined {
  return taints.find(
    (taint) => effects.includes(taint.effect) && !tolerations.some((one) => tolerates(one, taint)),
  );
}
