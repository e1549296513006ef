// The quality-of-service class a pod is born with, from its cpu and memory (upstream: pkg/apis/core/v1/helper/qos).
import type { PodSpec, ResourceRequirements } from "../types/core-v1.ts";

export type QosClass = "Guaranteed" | "Burstable" | "BestEffort";

const computeResources = ["cpu", "memory"];

/**
 * Guaranteed when every container limits both cpu and memory and asks for just that; BestEffort when none asks for or
 * limits either. A pod that sets resources as a whole is judged by those alone. Quantities are canonical text.
 */
export function podQosClass(spec: PodSpec): QosClass {
  const whole = spec.resources;
  const parts: ResourceRequirements[] =
    whole && (asksForCompute(whole.requests) || asksForCompute(whole.limits))
      ? [whole]
      : [...(spec.initContainers ?? []), ...(spec.containers ?? [])].map(
          (container) => container.resources ?? {},
        );
  if (!parts.some((part) => asksForCompute(part.requests) || asksForCompute(part.limits))) {
    return "BestEffort";
  }
  return parts.every(isFixed) ? "Guaranteed" : "Burstable";
}

function asksForCompute(list: Record<string, string> | undefined): boolean {
  return computeResources.some((name) => !isZero(list?.[name]));
}

/** A request left out follows its limit. */
function isFixed(part: ResourceRequirements): boolean {
  return computeResources.every((name) => {
    const limit = part.limits?.[name];
    return !isZero(limit) && (part.requests?.[name] ?? limit) === limit;
  });
}

function isZero(quantity: string | undefined): boolean {
  return quantity === undefined || quantity === "0";
}
