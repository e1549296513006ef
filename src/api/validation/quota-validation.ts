// Validation of resource quotas and limit ranges (upstream: pkg/apis/core/validation/validation.go).
import {
  duplicateValue,
  type FieldError,
  forbiddenField,
  invalidValue,
  required,
} from "../meta/field-error.ts";
import type {
  LimitRange,
  LimitRangeItem,
  ResourceQuota,
  ResourceQuotaSpec,
  ScopedResourceSelectorRequirement,
} from "../types/core-v1.ts";
import { fieldIsImmutable, invalidEach } from "./checks.ts";
import { qualifiedName } from "./names.ts";
import {
  isOvercommitAllowed,
  validateContainerResourceName,
  validateQuotaResourceName,
  validateResourceName,
  validateResourceQuantity,
} from "./resource-validation.ts";
import { getKey } from "../../std/json.ts";
import { compareQuantityTexts } from "../quantity.ts";

const presenceScopes = [
  "BestEffort",
  "NotBestEffort",
  "Terminating",
  "NotTerminating",
  "CrossNamespacePodAffinity",
];
const scopes: ReadonlySet<string> = new Set([
  ...presenceScopes,
  "PriorityClass",
  "VolumeAttributesClass",
]);
const conflictingScopes = [
  ["BestEffort", "NotBestEffort"],
  ["Terminating", "NotTerminating"],
];
const limitTypes: ReadonlySet<string> = new Set(["Pod", "Container", "PersistentVolumeClaim"]);
const presenceOnly =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";

export function validateResourceQuota(quota: ResourceQuota, errors: FieldError[]): void {
  const spec = quota.spec ?? {};
  validateHard(spec.hard, "spec.hard", errors);
  validateScopes(spec, errors);
  for (const requirement of spec.scopeSelector?.matchExpressions ?? []) {
    validateScopeRequirement(requirement, "spec.scopeSelector.matchExpressions", errors);
  }
}

export function validateResourceQuotaUpdate(
  quota: ResourceQuota,
  old: ResourceQuota,
  errors: FieldError[],
): void {
  validateResourceQuota(quota, errors);
  const before = [...new Set(old.spec?.scopes)].sort().join();
  const after = [...new Set(quota.spec?.scopes)].sort().join();
  if (before === after) return;
  errors.push(invalidValue("spec.scopes", quota.spec?.scopes ?? null, fieldIsImmutable));
}

export function validateResourceQuotaStatus(quota: ResourceQuota, errors: FieldError[]): void {
  validateHard(quota.status?.hard, "status.hard", errors);
  validateHard(quota.status?.used, "status.used", errors);
}

export function validateLimitRange(limitRange: LimitRange, errors: FieldError[]): void {
  const types = new Set<string>();
  for (const [i, item] of (limitRange.spec?.limits ?? []).entries()) {
    const path = `spec.limits[${i}]`;
    errors.push(...checkLimitType(`${path}.type`, item.type));
    if (types.has(item.type)) errors.push(duplicateValue(`${path}.type`, item.type));
    types.add(item.type);
    validateLimitNames(item, path, errors);
    const names = [
      item.max,
      item.min,
      item.default,
      item.defaultRequest,
      item.maxLimitRequestRatio,
    ];
    for (const name of new Set(names.flatMap((list) => Object.keys(list ?? {})))) {
      validateLimitOrder(item, name, { path, errors });
    }
  }
}

function validateHard(
  hard: Readonly<Record<string, string>> | undefined,
  path: string,
  errors: FieldError[],
): void {
  for (const [name, quantity] of Object.entries(hard ?? {})) {
    const at = `${path}[${name}]`;
    errors.push(...validateQuotaResourceName(name, at));
    errors.push(...validateResourceQuantity(name, quantity, at));
  }
}

function validateScopes(spec: ResourceQuotaSpec, errors: FieldError[]): void {
  const given = spec.scopes ?? [];
  for (const scope of given) {
    if (!scopes.has(scope)) errors.push(invalidValue("spec.scopes", given, "unsupported scope"));
  }
  for (const pair of conflictingScopes) {
    if (!pair.every((scope) => given.includes(scope))) continue;
    errors.push(invalidValue("spec.scopes", given, "conflicting scopes"));
  }
}

function validateScopeRequirement(
  requirement: ScopedResourceSelectorRequirement,
  path: string,
  errors: FieldError[],
): void {
  const { scopeName, operator, values = [] } = requirement;
  if (!scopes.has(scopeName)) {
    errors.push(invalidValue(`${path}.scopeName`, scopeName, "unsupported scope"));
  }
  if (presenceScopes.includes(scopeName) && operator !== "Exists") {
    errors.push(invalidValue(`${path}.operator`, operator, presenceOnly));
  }
  if (operator === "In" || operator === "NotIn") {
    if (values.length > 0) return;
    const detail =
      "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
    errors.push(required(`${path}.values`, detail));
  } else if (operator === "Exists" || operator === "DoesNotExist") {
    if (values.length === 0) return;
    const detail =
      "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";
    errors.push(invalidValue(`${path}.values`, values, detail));
  } else {
    errors.push(invalidValue(`${path}.operator`, operator, "not a valid selector operator"));
  }
}

function checkLimitType(path: string, type: string): readonly FieldError[] {
  const complaints = qualifiedName(type);
  if (complaints.length > 0) return invalidEach(path, type, complaints);
  if (type.includes("/") || limitTypes.has(type)) return [];
  return [invalidValue(path, type, "must be a standard limit type or fully qualified")];
}

function validateLimitNames(item: LimitRangeItem, path: string, errors: FieldError[]): void {
  const isCompute = item.type === "Pod" || item.type === "Container";
  const rule = isCompute ? validateContainerResourceName : validateResourceName;
  for (const key of ["max", "min", "default", "defaultRequest"] as const) {
    const names = Object.keys(item[key] ?? {});
    if (item.type === "Pod" && key.startsWith("default")) {
      if (names.length === 0) continue;
      const detail = "may not be specified when `type` is 'Pod'";
      errors.push(forbiddenField(`${path}.${key}`, detail));
      continue;
    }
    for (const name of names) errors.push(...rule(name, `${path}.${key}[${name}]`));
  }
  const hasStorage = item.min?.["storage"] ?? item.max?.["storage"];
  if (item.type === "PersistentVolumeClaim" && hasStorage === undefined) {
    const detail = "either minimum or maximum storage value is required, but neither was provided";
    errors.push(required(`${path}.limits`, detail));
  }
  for (const name of Object.keys(item.maxLimitRequestRatio ?? {})) {
    errors.push(...rule(name, `${path}.maxLimitRequestRatio[${name}]`));
  }
}

/** min <= default request <= default limit <= max, where each is given. */
function validateLimitOrder(
  item: LimitRangeItem,
  name: string,
  { path, errors }: { path: string; errors: FieldError[] },
): void {
  const min = getKey(item.min, name);
  const max = getKey(item.max, name);
  const limit = item.type === "Pod" ? undefined : getKey(item.default, name);
  const request = item.type === "Pod" ? undefined : getKey(item.defaultRequest, name);
  const ratio = getKey(item.maxLimitRequestRatio, name);
  const refuse = (key: string, value: string, detail: string): void => {
    errors.push(invalidValue(`${path}.${key}[${name}]`, value, detail));
  };
  if (exceeds(min, max)) refuse("min", min!, `min value ${min} is greater than max value ${max}`);
  if (exceeds(min, request)) {
    const detail = `min value ${min} is greater than default request value ${request}`;
    refuse("defaultRequest", request!, detail);
  }
  if (exceeds(request, max)) {
    const detail = `default request value ${request} is greater than max value ${max}`;
    refuse("defaultRequest", request!, detail);
  }
  if (exceeds(request, limit)) {
    const detail = `default request value ${request} is greater than default limit value ${limit}`;
    refuse("defaultRequest", request!, detail);
  }
  if (exceeds(min, limit)) {
    refuse("default", min!, `min value ${min} is greater than default value ${limit}`);
  }
  if (exceeds(limit, max)) {
    refuse("default", max!, `default value ${limit} is greater than max value ${max}`);
  }
  if (ratio !== undefined && compareQuantityTexts(ratio, "1") < 0) {
    refuse("maxLimitRequestRatio", ratio, `ratio ${ratio} is less than 1`);
  }
  if (isOvercommitAllowed(name) || limit === undefined || request === undefined) return;
  if (compareQuantityTexts(limit, request) === 0) return;
  const detail = `default value ${limit} must equal to defaultRequest value ${request} in ${name}`;
  refuse("defaultRequest", request, detail);
}

function exceeds(a: string | undefined, b: string | undefined): boolean {
  return a !== undefined && b !== undefined && compareQuantityTexts(a, b) > 0;
}
