// Validation of disruption budgets, autoscalers and scales (upstream: pkg/apis/policy/validation,
// pkg/apis/autoscaling/validation).
import { type FieldError, invalidValue, required } from "../meta/field-error.ts";
import type {
  CrossVersionObjectReference,
  HorizontalPodAutoscaler as AutoscalerV1,
  Scale,
} from "../types/autoscaling-v1.ts";
import type {
  HorizontalPodAutoscaler,
  HPAScalingRules,
  MetricSpec,
  MetricTarget,
} from "../types/autoscaling-v2.ts";
import type { PodDisruptionBudget } from "../types/policy-v1.ts";
import {
  checkCountOrPercent,
  checkNotNegative,
  checkNotOver100Percent,
  checkOneOf,
  checkOptionalOneOf,
  checkText,
} from "./checks.ts";
import { pathSegment } from "./names.ts";
import { validateLabelSelector } from "./selector-validation.ts";

const evictionPolicies = ["AlwaysAllow", "IfHealthyBudget"];
const metricTypes = ["ContainerResource", "External", "Object", "Pods", "Resource"];
const sources = ["object", "pods", "resource", "containerResource", "external"] as const;
const targetTypes = ["AverageValue", "Utilization", "Value"];
const selectPolicies = ["Disabled", "Max", "Min"];
const policyTypes = ["Percent", "Pods"];
const policyPeriodSecondsMax = 1800;
const stabilizationSecondsMax = 3600;

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

export function validateHorizontalPodAutoscaler(
  autoscaler: HorizontalPodAutoscaler,
  errors: FieldError[],
): void {
  const { spec } = autoscaler;
  checkReplicas(spec?.minReplicas, spec?.maxReplicas ?? 0, errors);
  checkScaleTarget(spec?.scaleTargetRef, errors);
  for (const [i, metric] of (spec?.metrics ?? []).entries()) {
    validateMetric(metric, `spec.metrics[${i}]`, errors);
  }
  for (const key of ["scaleUp", "scaleDown"] as const) {
    const rules = spec?.behavior?.[key];
    if (rules) validateScalingRules(rules, `spec.behavior.${key}`, errors);
  }
}

export function validateHorizontalPodAutoscalerV1(
  autoscaler: AutoscalerV1,
  errors: FieldError[],
): void {
  const { spec } = autoscaler;
  checkReplicas(spec?.minReplicas, spec?.maxReplicas ?? 0, errors);
  checkScaleTarget(spec?.scaleTargetRef, errors);
  const percent = spec?.targetCPUUtilizationPercentage;
  if (percent !== undefined && percent < 1) {
    const at = "spec.metrics[0].resource.target.averageUtilization";
    errors.push(invalidValue(at, percent, "must be greater than 0"));
  }
}

export function validateScale(scale: Scale, errors: FieldError[]): void {
  errors.push(...checkNotNegative("spec.replicas", scale.spec?.replicas));
}

function checkReplicas(
  minReplicas: number | undefined,
  maxReplicas: number,
  errors: FieldError[],
): void {
  if (minReplicas !== undefined && minReplicas < 1) {
    const detail = "must be greater than or equal to 1";
    errors.push(invalidValue("spec.minReplicas", minReplicas, detail));
  }
  if (maxReplicas < 1) {
    errors.push(invalidValue("spec.maxReplicas", maxReplicas, "must be greater than 0"));
  }
  if (minReplicas !== undefined && maxReplicas < minReplicas) {
    const detail = "must be greater than or equal to `minReplicas`";
    errors.push(invalidValue("spec.maxReplicas", maxReplicas, detail));
  }
}

function checkScaleTarget(
  target: CrossVersionObjectReference | undefined,
  errors: FieldError[],
): void {
  errors.push(...checkText("spec.scaleTargetRef.kind", target?.kind, pathSegment));
  errors.push(...checkText("spec.scaleTargetRef.name", target?.name, pathSegment));
}

function validateMetric(metric: MetricSpec, path: string, errors: FieldError[]): void {
  if (metric.type === "") {
    errors.push(required(`${path}.type`, "must specify a metric source type"));
    return;
  }
  errors.push(...checkOneOf(`${path}.type`, metric.type, metricTypes));
  for (const key of sources) {
    const source = metric[key];
    if (!source) continue;
    if ("name" in source && source.name === "") {
      errors.push(required(`${path}.${key}.name`, "must specify a resource name"));
    }
    if ("metric" in source && source.metric.name === "") {
      errors.push(required(`${path}.${key}.metric.name`, "must specify a metric name"));
    }
    validateTarget(source.target, `${path}.${key}.target`, errors);
  }
  const named = metric.type.charAt(0).toLowerCase() + metric.type.slice(1);
  const expected = sources.find((key) => key === named);
  if (expected !== undefined && !metric[expected]) {
    const detail = "must populate information for the given metric source";
    errors.push(required(`${path}.${expected}`, detail));
  }
}

function validateTarget(target: MetricTarget, path: string, errors: FieldError[]): void {
  if (target.type === "") {
    errors.push(required(`${path}.type`, "must specify a metric target type"));
  } else {
    errors.push(...checkOptionalOneOf(`${path}.type`, target.type, targetTypes));
  }
  const percent = target.averageUtilization;
  if (percent !== undefined && percent < 1) {
    errors.push(invalidValue(`${path}.averageUtilization`, percent, "must be greater than 0"));
  }
  for (const key of ["value", "averageValue"] as const) {
    const quantity = target[key];
    if (quantity === undefined || !(quantity === "0" || quantity.startsWith("-"))) continue;
    errors.push(invalidValue(`${path}.${key}`, quantity, "must be positive"));
  }
}

function validateScalingRules(rules: HPAScalingRules, path: string, errors: FieldError[]): void {
  const seconds = rules.stabilizationWindowSeconds;
  const at = `${path}.stabilizationWindowSeconds`;
  if (seconds !== undefined && seconds < 0) {
    errors.push(invalidValue(at, seconds, "must be greater than or equal to zero"));
  }
  if (seconds !== undefined && seconds > stabilizationSecondsMax) {
    const detail = `must be less than or equal to ${stabilizationSecondsMax}`;
    errors.push(invalidValue(at, seconds, detail));
  }
  errors.push(...checkOptionalOneOf(`${path}.selectPolicy`, rules.selectPolicy, selectPolicies));
  const policies = rules.policies ?? [];
  if (policies.length === 0) {
    errors.push(required(`${path}.policies`, "must specify at least one Policy"));
  }
  for (const [i, { type, value, periodSeconds }] of policies.entries()) {
    const policyPath = `${path}.policies[${i}]`;
    errors.push(...checkOptionalOneOf(`${policyPath}.type`, type, policyTypes));
    if (value <= 0) {
      errors.push(invalidValue(`${policyPath}.value`, value, "must be greater than zero"));
    }
    const periodPath = `${policyPath}.periodSeconds`;
    if (periodSeconds <= 0) {
      errors.push(invalidValue(periodPath, periodSeconds, "must be greater than zero"));
    }
    if (periodSeconds > policyPeriodSecondsMax) {
      const detail = `must be less than or equal to ${policyPeriodSecondsMax}`;
      errors.push(invalidValue(periodPath, periodSeconds, detail));
    }
  }
}
