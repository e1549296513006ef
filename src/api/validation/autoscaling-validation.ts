// Validation of autoscalers and scales (upstream: pkg/apis/autoscaling/validation).
import { type FieldError, forbiddenField, invalidValue, required } from "../meta/field-error.ts";
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
import {
  atMost,
  checkNotNegative,
  checkOptional,
  checkOptionalOneOf,
  checkText,
} from "./checks.ts";
import { pathSegment } from "./names.ts";

const metricTypes = ["ContainerResource", "External", "Object", "Pods", "Resource"];
const sources = ["object", "external", "pods", "resource", "containerResource"] as const;
const atLeastOne = "must be greater than or equal to 1";
const targetTypes = ["AverageValue", "Utilization", "Value"];
const selectPolicies = ["Disabled", "Max", "Min"];
const policyTypes = ["Percent", "Pods"];
const policyPeriodSecondsMax = 1800;
const stabilizationSecondsMax = 3600;

/** What both versions say of the scale. */
interface Scaling {
  readonly minReplicas?: number;
  readonly maxReplicas?: number;
  readonly scaleTargetRef?: CrossVersionObjectReference;
}

export function validateHorizontalPodAutoscaler(
  autoscaler: HorizontalPodAutoscaler,
  errors: FieldError[],
): void {
  validateHorizontalPodAutoscalerUpdate(autoscaler, undefined, errors);
}

export function validateHorizontalPodAutoscalerUpdate(
  { spec }: HorizontalPodAutoscaler,
  old: HorizontalPodAutoscaler | undefined,
  errors: FieldError[],
): void {
  checkScaling(spec, old?.spec, errors);
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
  validateHorizontalPodAutoscalerV1Update(autoscaler, undefined, errors);
}

export function validateHorizontalPodAutoscalerV1Update(
  { spec }: AutoscalerV1,
  old: AutoscalerV1 | undefined,
  errors: FieldError[],
): void {
  checkScaling(spec, old?.spec, errors);
  const percent = spec?.targetCPUUtilizationPercentage;
  if (percent !== undefined && percent < 1) {
    const at = "spec.metrics[0].resource.target.averageUtilization";
    errors.push(invalidValue(at, percent, "must be greater than 0"));
  }
}

export function validateScale(scale: Scale, errors: FieldError[]): void {
  errors.push(...checkNotNegative("spec.replicas", scale.spec?.replicas));
}

function checkScaling(
  scaling: Scaling | undefined,
  old: Scaling | undefined,
  errors: FieldError[],
): void {
  const { minReplicas, maxReplicas = 0, scaleTargetRef: target } = scaling ?? {};
  if (minReplicas !== undefined && minReplicas < 1) {
    errors.push(invalidValue("spec.minReplicas", minReplicas, atLeastOne));
  }
  if (maxReplicas === 0) {
    errors.push(required("spec.maxReplicas", "must be set and greater than 0"));
  } else if (maxReplicas < 0)
    errors.push(invalidValue("spec.maxReplicas", maxReplicas, atLeastOne));
  if (minReplicas !== undefined && maxReplicas < minReplicas) {
    const detail = "must be greater than or equal to `minReplicas`";
    errors.push(invalidValue("spec.maxReplicas", maxReplicas, detail));
  }
  checkReference("spec.scaleTargetRef", target, errors);
  // Who does not touch a bad one may keep it; only one kind that scales is of the core group.
  const before = old?.scaleTargetRef;
  if (before && before.kind === target?.kind && before.apiVersion === target?.apiVersion) return;
  const needsGroup = target?.kind !== "ReplicationController";
  errors.push(...checkApiVersion("spec.scaleTargetRef", target?.apiVersion ?? "", needsGroup));
}

function checkReference(
  path: string,
  reference: CrossVersionObjectReference | undefined,
  errors: FieldError[],
): void {
  errors.push(...checkText(`${path}.kind`, reference?.kind, pathSegment));
  errors.push(...checkText(`${path}.name`, reference?.name, pathSegment));
}

function checkApiVersion(path: string, text: string, needsGroup: boolean): readonly FieldError[] {
  const at = `${path}.apiVersion`;
  const slashes = text.split("/").length - 1;
  if (slashes > 1) return [invalidValue(at, text, `unexpected GroupVersion string: ${text}`)];
  if (!needsGroup || text.indexOf("/") > 0) return [];
  return [invalidValue(at, text, "apiVersion must specify API group")];
}

function validateMetric(metric: MetricSpec, path: string, errors: FieldError[]): void {
  if (metric.type === "") {
    errors.push(required(`${path}.type`, "must specify a metric source type"));
  }
  errors.push(...checkOptionalOneOf(`${path}.type`, metric.type, metricTypes));
  const present = sources.filter((key) => metric[key]);
  // Only the first is looked into.
  if (present[0] !== undefined) validateSource(metric, present[0], { path, errors });
  const named = metric.type.charAt(0).toLowerCase() + metric.type.slice(1);
  const expected = sources.find((key) => key === named);
  if (expected !== undefined && !metric[expected]) {
    const detail = "must populate information for the given metric source";
    errors.push(required(`${path}.${expected}`, detail));
  }
  if (present.length === 1) return;
  for (const key of present) {
    if (key === expected) continue;
    errors.push(forbiddenField(`${path}.${key}`, "must populate the given metric source only"));
  }
}

function validateSource(
  metric: MetricSpec,
  key: (typeof sources)[number],
  { path, errors }: { path: string; errors: FieldError[] },
): void {
  const source = metric[key]!;
  const at = `${path}.${key}`;
  if ("describedObject" in source) {
    checkReference(`${at}.describedObject`, source.describedObject, errors);
    const { apiVersion = "" } = source.describedObject;
    errors.push(...checkApiVersion(`${at}.describedObject`, apiVersion, false));
  }
  if ("name" in source && source.name === "") {
    errors.push(required(`${at}.name`, "must specify a resource name"));
  }
  if ("container" in source && source.container === "") {
    errors.push(required(`${at}.container`, "must specify a container"));
  }
  if ("metric" in source) {
    const { name } = source.metric;
    if (name === "") errors.push(required(`${at}.metric.name`, "must specify a metric name"));
    else errors.push(...checkOptional(`${at}.metric.name`, name, pathSegment));
  }
  validateTarget(source.target, `${at}.target`, errors);
  errors.push(...targetRules[key](source.target, `${at}.target`));
}

type TargetRule = (target: MetricTarget, path: string) => readonly FieldError[];

const utilizationOrValue: TargetRule = ({ averageUtilization, averageValue }, path) => {
  if (averageUtilization === undefined && averageValue === undefined) {
    const detail = "must set either a target raw value or a target utilization";
    return [required(`${path}.averageUtilization`, detail)];
  }
  if (averageUtilization === undefined || averageValue === undefined) return [];
  const detail = "may not set both a target raw value and a target utilization";
  return [forbiddenField(`${path}.averageValue`, detail)];
};

/** Which numbers a target of each source must have. */
const targetRules: Readonly<Record<(typeof sources)[number], TargetRule>> = {
  object: ({ value, averageValue }, path) =>
    value === undefined && averageValue === undefined
      ? [required(`${path}.averageValue`, "must set either a target value or averageValue")]
      : [],
  external: ({ value, averageValue }, path) => {
    if (value === undefined && averageValue === undefined) {
      const detail = "must set either a target value for metric or a per-pod target";
      return [required(`${path}.averageValue`, detail)];
    }
    if (value === undefined || averageValue === undefined) return [];
    const detail = "may not set both a target value for metric and a per-pod target";
    return [forbiddenField(`${path}.value`, detail)];
  },
  pods: ({ averageValue }, path) =>
    averageValue === undefined
      ? [required(`${path}.averageValue`, "must specify a positive target averageValue")]
      : [],
  resource: utilizationOrValue,
  containerResource: utilizationOrValue,
};

function validateTarget(target: MetricTarget, path: string, errors: FieldError[]): void {
  if (target.type === "") {
    errors.push(required(`${path}.type`, "must specify a metric target type"));
  }
  if (!targetTypes.includes(target.type)) {
    const detail = "must be either Utilization, Value, or AverageValue";
    errors.push(invalidValue(`${path}.type`, target.type, detail));
  }
  for (const key of ["value", "averageValue"] as const) {
    const quantity = target[key];
    if (quantity === undefined || !(quantity === "0" || quantity.startsWith("-"))) continue;
    errors.push(invalidValue(`${path}.${key}`, quantity, "must be positive"));
  }
  const percent = target.averageUtilization;
  if (percent !== undefined && percent < 1) {
    errors.push(invalidValue(`${path}.averageUtilization`, percent, "must be greater than 0"));
  }
}

function validateScalingRules(rules: HPAScalingRules, path: string, errors: FieldError[]): void {
  const seconds = rules.stabilizationWindowSeconds;
  const at = `${path}.stabilizationWindowSeconds`;
  if (seconds !== undefined && seconds < 0) {
    errors.push(invalidValue(at, seconds, "must be greater than or equal to zero"));
  }
  if (seconds !== undefined && seconds > stabilizationSecondsMax) {
    const detail = atMost(stabilizationSecondsMax);
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
      const detail = atMost(policyPeriodSecondsMax);
      errors.push(invalidValue(periodPath, periodSeconds, detail));
    }
  }
}
