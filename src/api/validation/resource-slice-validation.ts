// Validation of what a driver says of its devices: where they are, what they are called, what they are like (upstream:
// pkg/apis/resource/validation/validation.go).
import { utf8Length } from "../../std/utf8.ts";
import {
  duplicateValue,
  type FieldError,
  invalidValue,
  required,
  tooLong,
  tooMany,
} from "../meta/field-error.ts";
import type {
  Device,
  DeviceAttribute,
  ResourcePool,
  ResourceSlice,
  ResourceSliceSpec,
} from "../types/resource-v1.ts";
import { checkImmutable, invalidEach } from "./checks.ts";
import { dns1123Label, dns1123Subdomain } from "./names.ts";
import { validateNodeSelector } from "./selector-validation.ts";
import { checkDriverName } from "./storage-validation.ts";

const attributeMaxBytes = 64;
const poolNameMaxBytes = 253;
const devicesMax = 128;
/** Of slices whose devices have taints, share counters or list several values. */
const elaborateDevicesMax = 64;
const attributesAndCapacitiesMax = 32;
const attributeKinds = [
  "bool",
  "int",
  "string",
  "version",
  "bools",
  "ints",
  "strings",
  "versions",
] as const;
const onePlace =
  "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required";

export function validateResourceSlice(slice: ResourceSlice, errors: FieldError[]): void {
  errors.push(...checkDriverName("spec.driver", slice.spec?.driver));
  validatePool(slice.spec?.pool, errors);
  validatePlacesAndDevices(slice.spec, errors);
}

export function validateResourceSliceUpdate(
  slice: ResourceSlice,
  old: ResourceSlice,
  errors: FieldError[],
): void {
  const spec: Partial<ResourceSliceSpec> = slice.spec ?? {};
  const { driver = "", pool, nodeName } = spec;
  errors.push(...checkDriverName("spec.driver", driver));
  validatePool(pool, errors);
  errors.push(...checkImmutable("spec.pool.name", pool?.name ?? "", old.spec?.pool?.name));
  errors.push(...checkImmutable("spec.driver", driver, old.spec?.driver));
  errors.push(...checkImmutable("spec.nodeName", nodeName, old.spec?.nodeName));
  validatePlacesAndDevices(slice.spec, errors);
}

/** A pool's name may have the form of a path; each step is a subdomain. */
function validatePool(pool: ResourcePool | undefined, errors: FieldError[]): void {
  const { name = "", resourceSliceCount = 0, generation = 0 } = pool ?? {};
  const path = "spec.pool.name";
  if (name === "") errors.push(required(path));
  else {
    if (utf8Length(name) > poolNameMaxBytes) errors.push(tooLong(path, poolNameMaxBytes));
    for (const step of name.split("/")) {
      errors.push(...invalidEach(path, step, dns1123Subdomain(step)));
    }
  }
  if (resourceSliceCount <= 0) {
    const at = "spec.pool.resourceSliceCount";
    errors.push(invalidValue(at, resourceSliceCount, "must be greater than zero"));
  }
  if (generation < 0) {
    const detail = "must be greater than or equal to zero";
    errors.push(invalidValue("spec.pool.generation", generation, detail));
  }
}

function validatePlacesAndDevices(spec: ResourceSliceSpec | undefined, errors: FieldError[]): void {
  const given = validatePlaces(spec ?? {}, errors);
  if (given.length === 0) errors.push(required("spec", onePlace));
  else if (given.length > 1) {
    const detail = `${onePlace}, but multiple fields are set`;
    errors.push(invalidValue("spec", `{${given.join(", ")}}`, detail));
  }
  const devices = spec?.devices ?? [];
  const max = devices.some(isElaborate) ? elaborateDevicesMax : devicesMax;
  if (devices.length > max) {
    errors.push(tooMany("spec.devices", devices.length, max));
    return;
  }
  for (const [i, device] of devices.entries()) validateDevice(device, `spec.devices[${i}]`, errors);
  const names = devices.map(({ name }) => name);
  for (const [i, name] of names.entries()) {
    if (names.indexOf(name) < i) errors.push(duplicateValue(`spec.devices[${i}]`, name));
  }
}

/** Which of the ways to say where the devices are the slice uses. */
function validatePlaces(spec: Partial<ResourceSliceSpec>, errors: FieldError[]): string[] {
  const { nodeName, nodeSelector } = spec;
  const given: string[] = [];
  if (nodeName === "") {
    const detail = "must be either unset or set to a non-empty string";
    errors.push(invalidValue("spec.nodeName", nodeName, detail));
  } else if (nodeName !== undefined) {
    given.push("`nodeName`");
    errors.push(...invalidEach("spec.nodeName", nodeName, dns1123Subdomain(nodeName)));
  }
  if (nodeSelector) {
    given.push("`nodeSelector`");
    validateNodeSelector(nodeSelector, "spec.nodeSelector", errors);
  }
  for (const key of ["allNodes", "perDeviceNodeSelection"] as const) {
    if (spec[key] === true) given.push(`\`${key}\``);
    else if (spec[key] === false) {
      errors.push(invalidValue(`spec.${key}`, false, "must be either unset or set to true"));
    }
  }
  return given;
}

function isElaborate(device: Device): boolean {
  const attributes = Object.values(device.attributes ?? {});
  return (
    (device.taints ?? []).length > 0 ||
    (device.consumesCounters ?? []).length > 0 ||
    attributes.some(({ bools, ints, strings, versions }) => bools ?? ints ?? strings ?? versions)
  );
}

function validateDevice(device: Device, path: string, errors: FieldError[]): void {
  errors.push(...invalidEach(`${path}.name`, device.name, dns1123Label(device.name)));
  const attributes = Object.entries(device.attributes ?? {});
  const entries = attributes.length + Object.keys(device.capacity ?? {}).length;
  if (entries > attributesAndCapacitiesMax) {
    const detail = `the total number of attributes and capacities must not exceed ${attributesAndCapacitiesMax}`;
    errors.push(invalidValue(path, entries, detail));
  }
  for (const [key, attribute] of attributes) {
    validateAttribute(attribute, `${path}.attributes[${key}]`, errors);
  }
}

function validateAttribute(attribute: DeviceAttribute, path: string, errors: FieldError[]): void {
  for (const key of ["string", "version"] as const) {
    if (utf8Length(attribute[key] ?? "") > attributeMaxBytes) {
      errors.push(tooLong(`${path}.${key}`, attributeMaxBytes));
    }
  }
  const given = attributeKinds.filter((kind) => attribute[kind] !== undefined).length;
  if (given === 1) return;
  const value = given === 0 ? "" : attribute;
  errors.push(invalidValue(path, value, "exactly one value must be specified"));
}
