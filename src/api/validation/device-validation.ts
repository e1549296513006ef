// Validation of what protects the store's sense in dynamic resource allocation: names, exactly one of, what stays as
// created (upstream: pkg/apis/resource/validation/validation.go).
import { duplicateValue, type FieldError, invalidValue, required } from "../meta/field-error.ts";
import type {
  DeviceClass,
  DeviceSubRequest,
  ExactDeviceRequest,
  ResourceClaim,
  ResourceClaimSpec,
  ResourceClaimTemplate,
  ResourceSlice,
} from "../types/resource-v1.ts";
import { checkImmutable, checkOneOf, checkText } from "./checks.ts";
import { dns1123Label, dns1123Subdomain } from "./names.ts";
import { validateNodeSelector } from "./selector-validation.ts";

const allocationModes = ["All", "ExactCount"];

export function validateDeviceClass(deviceClass: DeviceClass, errors: FieldError[]): void {
  for (const [i, { cel }] of (deviceClass.spec?.selectors ?? []).entries()) {
    if (!cel) errors.push(required(`spec.selectors[${i}].cel`));
    else errors.push(...checkText(`spec.selectors[${i}].cel.expression`, cel.expression));
  }
}

export function validateResourceClaim(claim: ResourceClaim, errors: FieldError[]): void {
  validateClaimSpec(claim.spec, "spec", errors);
}

export function validateResourceClaimUpdate(
  claim: ResourceClaim,
  old: ResourceClaim,
  errors: FieldError[],
): void {
  errors.push(...checkImmutable("spec", claim.spec, old.spec));
  validateResourceClaim(claim, errors);
}

export function validateResourceClaimTemplate(
  template: ResourceClaimTemplate,
  errors: FieldError[],
): void {
  validateClaimSpec(template.spec?.spec, "spec.spec", errors);
}

export function validateResourceClaimTemplateUpdate(
  template: ResourceClaimTemplate,
  old: ResourceClaimTemplate,
  errors: FieldError[],
): void {
  errors.push(...checkImmutable("spec", template.spec, old.spec));
  validateResourceClaimTemplate(template, errors);
}

export function validateResourceSlice(slice: ResourceSlice, errors: FieldError[]): void {
  const { driver, pool, nodeName, nodeSelector, allNodes, devices } = slice.spec ?? {};
  errors.push(...checkText("spec.driver", driver, dns1123Subdomain));
  errors.push(...checkText("spec.pool.name", pool?.name));
  if ((pool?.resourceSliceCount ?? 0) <= 0) {
    const at = "spec.pool.resourceSliceCount";
    errors.push(invalidValue(at, pool?.resourceSliceCount ?? 0, "must be greater than zero"));
  }
  const places = [nodeName, nodeSelector, allNodes, slice.spec?.perDeviceNodeSelection];
  const given = places.filter((place) => place !== undefined && place !== false).length;
  if (given !== 1) {
    const detail =
      "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required";
    errors.push(given === 0 ? required("spec", detail) : invalidValue("spec", "{}", detail));
  }
  if (nodeSelector) validateNodeSelector(nodeSelector, "spec.nodeSelector", errors);
  const names = new Set<string>();
  for (const [i, { name }] of (devices ?? []).entries()) {
    errors.push(...checkText(`spec.devices[${i}].name`, name, dns1123Label));
    if (names.has(name)) errors.push(duplicateValue(`spec.devices[${i}].name`, name));
    names.add(name);
  }
}

export function validateResourceSliceUpdate(
  slice: ResourceSlice,
  old: ResourceSlice,
  errors: FieldError[],
): void {
  validateResourceSlice(slice, errors);
  const { driver, pool, nodeName } = slice.spec ?? {};
  errors.push(...checkImmutable("spec.driver", driver, old.spec?.driver));
  errors.push(...checkImmutable("spec.pool.name", pool?.name, old.spec?.pool?.name));
  errors.push(...checkImmutable("spec.nodeName", nodeName, old.spec?.nodeName));
}

function validateClaimSpec(
  spec: ResourceClaimSpec | undefined,
  path: string,
  errors: FieldError[],
): void {
  const names = new Set<string>();
  for (const [i, request] of (spec?.devices?.requests ?? []).entries()) {
    const at = `${path}.devices.requests[${i}]`;
    errors.push(...checkText(`${at}.name`, request.name, dns1123Label));
    if (names.has(request.name)) errors.push(duplicateValue(`${at}.name`, request.name));
    names.add(request.name);
    const alternatives = request.firstAvailable ?? [];
    if ((request.exactly !== undefined) === alternatives.length > 0) {
      const detail = "exactly one of `exactly` or `firstAvailable` is required";
      errors.push(request.exactly ? invalidValue(at, null, detail) : required(at, detail));
    }
    if (request.exactly) checkDevices(request.exactly, `${at}.exactly`, errors);
    for (const [j, one] of alternatives.entries()) {
      checkDevices(one, `${at}.firstAvailable[${j}]`, errors);
    }
  }
}

function checkDevices(
  asked: ExactDeviceRequest | DeviceSubRequest,
  path: string,
  errors: FieldError[],
): void {
  const { deviceClassName, allocationMode, count = 0 } = asked;
  errors.push(...checkText(`${path}.deviceClassName`, deviceClassName, dns1123Subdomain));
  errors.push(...checkOneOf(`${path}.allocationMode`, allocationMode, allocationModes));
  if (allocationMode === "ExactCount" && count <= 0) {
    errors.push(invalidValue(`${path}.count`, count, "must be greater than zero"));
  }
}
