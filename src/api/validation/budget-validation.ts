// Validation of disruption budgets (upstream: pkg/apis/policy/validation).
import { type FieldError, invalidValue } from "../meta/field-error.ts";
import type { PodDisruptionBudget } from "../types/policy-v1.ts";
import { checkCountOrPercent, checkNotOver100Percent, checkOptionalOneOf } from "./checks.ts";
import { validateLabelSelector } from "./selector-validation.ts";

const evictionPolicies = ["AlwaysAllow", "IfHealthyBudget"];

export function validatePodDisruptionBudget(
  budget: PodDisruptionBudget,
  errors: FieldError[],
): void {
  const spec = budget.spec ?? {};
  const { minAvailable, maxUnavailable } = spec;
  if (minAvailable !== undefined && maxUnavailable !== undefined) {
    const detail = "minAvailable and maxUnavailable cannot be both set";
    errors.push(invalidValue("spec", spec, detail));
  }
  for (const key of ["minAvailable", "maxUnavailable"] as const) {
    errors.push(...checkCountOrPercent(`spec.${key}`, spec[key]));
    errors.push(...checkNotOver100Percent(`spec.${key}`, spec[key]));
  }
  validateLabelSelector(spec.selector, "spec.selector", errors);
  const policy = spec.unhealthyPodEvictionPolicy;
  errors.push(...checkOptionalOneOf("spec.unhealthyPodEvictionPolicy", policy, evictionPolicies));
}
