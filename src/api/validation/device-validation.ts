// Validation of what protects the store's sense in dynamic resource allocation: names, exactly one of, what stays as
// created (upstream: pkg/apis/resource/validation/validation.go).
import { utf8Length } from "../../std/utf8.ts";
import {
  duplicateValue,
  type FieldError,
  invalidValue,
  required,
  tooLong,
} from "../meta/field-error.ts";
import type {
  DeviceClass,
  DeviceSubRequest,
  ExactDeviceRequest,
  ResourceClaim,
  ResourceClaimSpec,
  ResourceClaimTemplate,
} from "../types/resource-v1.ts";
import { checkImmutable, checkOneOf, checkText, invalidEach } from "./checks.ts";
import { dns1123Label, dns1123Subdomain } from "./names.ts";

const expressionMaxBytes = 10 * 1024;
const allocationModes = ["All", "ExactCount"];

export function validateDeviceClass(deviceClass: DeviceClass, errors: FieldError[]): void {
  for (const [i, { cel }] of (deviceClass.spec?.selectors ?? []).entries()) {
    if (!cel) errors.push(required(`spec.selectors[${i}].cel`));
    else {
      const bytes = utf8Length(cel.expression);
      const path = `spec.selectors[${i}].cel.expression`;
      if (cel.expression === "") errors.push(required(path));
      else if (bytes > expressionMaxBytes) errors.push(tooLong(path, expressionMaxBytes));
    }
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

function validateClaimSpec(
  spec: ResourceClaimSpec | undefined,
  path: string,
  errors: FieldError[],
): void {
  const names = new Set<string>();
  for (const [i, request] of (spec?.devices?.requests ?? []).entries()) {
    const at = `${path}.devices.requests[${i}]`;
    errors.push(...invalidEach(`${at}.name`, request.name, dns1123Label(request.name)));
    if (names.has(request.name)) errors.push(duplicateValue(`${at}.name`, request.name));
    names.add(request.name);
    const alternatives = request.firstAvailable ?? [];
    if ((request.exactly !== undefined) === alternatives.length > 0) {
      const detail = "exactly one of `exactly` or `firstAvailable` is required";
      const several = `${detail}, but multiple fields are set`;
      errors.push(request.exactly ? invalidValue(at, null, several) : required(at, detail));
      continue;
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
  if (allocationMode === "All" && count !== 0) {
    const detail = "must not be specified when allocationMode is 'All'";
    errors.push(invalidValue(`${path}.count`, count, detail));
  }
  if (allocationMode === "ExactCount" && count <= 0) {
    errors.push(invalidValue(`${path}.count`, count, "must be greater than zero"));
  }
}
