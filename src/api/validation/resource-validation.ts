// Validation of resource names and amounts: what containers, pods, quotas and limit ranges may ask for (upstream:
// pkg/apis/core/validation/validation.go, pkg/apis/core/helper/helpers.go).
import {
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from "../meta/field-error.ts";
import type { ResourceRequirements } from "../types/core-v1.ts";
import { invalidEach, notNegative } from "./checks.ts";
import { qualifiedName } from "./names.ts";
import { getKey } from "../../std/json.ts";
import { compareQuantityTexts, isWholeQuantity } from "../quantity.ts";

type Quantities = Readonly<Record<string, string>>;

const containerResources: ReadonlySet<string> = new Set(["cpu", "memory", "ephemeral-storage"]);
const countedResources: ReadonlySet<string> = new Set([
  "pods",
  "resourcequotas",
  "services",
  "replicationcontrollers",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "services.nodeports",
  "services.loadbalancers",
]);
const quotaResources: ReadonlySet<string> = new Set([
  ...containerResources,
  ...countedResources,
  "requests.cpu",
  "requests.memory",
  "requests.storage",
  "requests.ephemeral-storage",
  "limits.cpu",
  "limits.memory",
  "limits.ephemeral-storage",
]);
const standardResources: ReadonlySet<string> = new Set([...quotaResources, "storage"]);
const hugePages = "hugepages-";
const quotaHugePages = "requests.hugepages-";

function isHugePages(name: string): boolean {
  return name.startsWith(hugePages);
}

function isNative(name: string): boolean {
  return !name.includes("/") || name.includes("kubernetes.io/");
}

/** Only native resources may be asked for beyond what there is, and of those not huge pages. */
export function isOvercommitAllowed(name: string): boolean {
  return isNative(name) && !isHugePages(name);
}

export function validateResourceName(name: string, path: string): readonly FieldError[] {
  const complaints = qualifiedName(name);
  if (complaints.length > 0) return invalidEach(path, name, complaints);
  const isStandard =
    standardResources.has(name) || isHugePages(name) || name.startsWith(quotaHugePages);
  if (name.includes("/") || isStandard) return [];
  return [invalidValue(path, name, "must be a standard resource type or fully qualified")];
}

export function validateContainerResourceName(name: string, path: string): readonly FieldError[] {
  if (containerResources.has(name)) return [];
  const errors = [...validateResourceName(name, path)];
  if (!name.includes("/")) {
    if (!isHugePages(name)) {
      errors.push(invalidValue(path, name, "must be a standard resource for containers"));
    }
  } else if (!isNative(name) && !isExtended(name)) {
    errors.push(invalidValue(path, name, "doesn't follow extended resource name standard"));
  }
  return errors;
}

export function validateQuotaResourceName(name: string, path: string): readonly FieldError[] {
  const errors = [...validateResourceName(name, path)];
  const isStandard =
    quotaResources.has(name) || isHugePages(name) || name.startsWith(quotaHugePages);
  if (!name.includes("/") && !isStandard) {
    errors.push(invalidValue(path, name, "must be a standard resource for quota"));
  }
  return errors;
}

export function validateResourceQuantity(
  name: string,
  quantity: string,
  path: string,
): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (quantity.startsWith("-")) errors.push(invalidValue(path, quantity, notNegative));
  if (isCounted(name) && !isWholeQuantity(quantity)) {
    errors.push(invalidValue(path, quantity, "must be an integer"));
  }
  return errors;
}

export function validateContainerResources(
  resources: ResourceRequirements,
  path: string,
  errors: FieldError[],
): void {
  validateRequirements(resources, { path, errors, name: validateContainerResourceName });
}

export function validatePodResources(
  resources: ResourceRequirements,
  path: string,
  errors: FieldError[],
): void {
  if ((resources.claims ?? []).length > 0) {
    const detail = "claims cannot be set for Resources at pod-level";
    errors.push(forbiddenField(`${path}.claims`, detail));
  }
  validateRequirements(resources, { path, errors, name: validatePodResourceName });
}

const podLevelResources = ["cpu", "memory"];

function validatePodResourceName(name: string, path: string): readonly FieldError[] {
  const errors = validateResourceName(name, path);
  if (errors.length > 0 || podLevelResources.includes(name) || isHugePages(name)) return errors;
  return [notSupported(path, name, [...podLevelResources, hugePages])];
}

interface RequirementScope {
  readonly path: string;
  readonly errors: FieldError[];
  name(name: string, path: string): readonly FieldError[];
}

function validateRequirements(resources: ResourceRequirements, scope: RequirementScope): void {
  const { limits = {}, requests = {} } = resources;
  const { path, errors } = scope;
  validateAmounts(limits, `${path}.limits`, scope);
  for (const name in requests) {
    validateAmounts({ [name]: requests[name]! }, `${path}.requests`, scope);
    validateAgainstLimit(name, resources, scope);
  }
  const names = [...Object.keys(limits), ...Object.keys(requests)];
  if (names.some(isHugePages) && !names.includes("cpu") && !names.includes("memory")) {
    errors.push(forbiddenField(path, "HugePages require cpu or memory"));
  }
}

function validateAmounts(amounts: Quantities, path: string, scope: RequirementScope): void {
  for (const name in amounts) {
    const at = `${path}[${name}]`;
    scope.errors.push(...scope.name(name, at));
    scope.errors.push(...validateResourceQuantity(name, amounts[name]!, at));
  }
}

function validateAgainstLimit(
  name: string,
  resources: ResourceRequirements,
  { path, errors }: RequirementScope,
): void {
  const request = getKey(resources.requests, name) ?? "0";
  const limit = getKey(resources.limits, name);
  if (limit === undefined) {
    if (!isOvercommitAllowed(name)) {
      const detail = "Limit must be set for non overcommitable resources";
      errors.push(required(`${path}.limits`, detail));
    }
    return;
  }
  const order = compareQuantityTexts(request, limit);
  if (order !== 0 && !isOvercommitAllowed(name)) {
    const detail = `must be equal to ${name} limit of ${limit}`;
    errors.push(invalidValue(`${path}.requests`, request, detail));
  } else if (order > 0) {
    const detail = `must be less than or equal to ${name} limit of ${limit}`;
    errors.push(invalidValue(`${path}.requests`, request, detail));
  }
}

function isExtended(name: string): boolean {
  return !name.startsWith("requests.") && qualifiedName(`requests.${name}`).length === 0;
}

/** Things that come one by one: API objects and devices. */
function isCounted(name: string): boolean {
  return countedResources.has(name) || (!isNative(name) && isExtended(name));
}
