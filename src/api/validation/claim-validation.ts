// Validation of what persistent volume claims and volumes ask for and offer, at create and update (upstream:
// pkg/apis/core/validation/validation.go, ValidatePersistentVolumeClaim and ValidatePersistentVolume).
import {
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from "../meta/field-error.ts";
import type {
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeClaimSpec,
  PersistentVolumeSpec,
} from "../types/core-v1.ts";
import {
  checkImmutable,
  checkOptional,
  checkOptionalOneOf,
  checkText,
  fieldIsImmutable,
} from "./checks.ts";
import { describeDifference } from "./difference.ts";
import { dns1123Subdomain } from "./names.ts";
import { checkHostPath } from "./path-rules.ts";
import { validateLabelSelector, validateNodeSelector } from "./selector-validation.ts";
import { semanticallyEqual } from "./semantic-equality.ts";
import { compareQuantityTexts, parseQuantity, quantityUnits } from "../quantity.ts";

const accessModes = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
const volumeModes = ["Block", "Filesystem"];
const reclaimPolicies = ["Delete", "Recycle", "Retain"];
const claimsAreFixed =
  "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";
const sourceIsFixed = "spec.persistentvolumesource is immutable after creation";
const volumeSettings: ReadonlySet<string> = new Set([
  "capacity",
  "accessModes",
  "claimRef",
  "persistentVolumeReclaimPolicy",
  "storageClassName",
  "mountOptions",
  "volumeMode",
  "nodeAffinity",
  "volumeAttributesClassName",
]);

export function validateClaimCreate(claim: PersistentVolumeClaim, errors: FieldError[]): void {
  validateClaimSpec(claim.spec, "spec", errors);
}

export function validateClaimUpdate(
  claim: PersistentVolumeClaim,
  old: PersistentVolumeClaim,
  errors: FieldError[],
): void {
  validateClaimSpec(claim.spec, "spec", errors);
  const before = old.spec ?? {};
  const after = claim.spec ?? {};
  const munged = structuralCopy(after, before, claim.status?.phase === "Bound");
  if (!semanticallyEqual(munged, before)) {
    const difference = describeDifference(before, munged);
    errors.push(forbiddenField("spec", `${claimsAreFixed}\n${difference}`));
  }
  const size = after.resources?.requests?.["storage"] ?? "0";
  if (compareQuantityTexts(size, before.resources?.requests?.["storage"] ?? "0") < 0) {
    const capacity = old.status?.capacity?.["storage"] ?? "0";
    if (compareQuantityTexts(size, capacity) <= 0) {
      const detail = "field can not be less than status.capacity";
      errors.push(forbiddenField("spec.resources.requests.storage", detail));
    }
  }
  errors.push(...checkImmutable("volumeMode", after.volumeMode, before.volumeMode));
}

export function validateClaimSpec(
  spec: PersistentVolumeClaimSpec | undefined,
  path: string,
  errors: FieldError[],
): void {
  const modes = spec?.accessModes ?? [];
  if (modes.length === 0) {
    errors.push(required(`${path}.accessModes`, "at least 1 access mode is required"));
  }
  validateLabelSelector(spec?.selector, `${path}.selector`, errors);
  checkAccessModes(modes, `${path}.accessModes`, errors);
  const storagePath = `${path}.resources[storage]`;
  const storage = spec?.resources?.requests?.["storage"];
  if (storage === undefined) errors.push(required(storagePath));
  else errors.push(...checkPositiveQuantity(storagePath, storage));
  const { storageClassName, volumeMode, volumeAttributesClassName } = spec ?? {};
  errors.push(...checkOptional(`${path}.storageClassName`, storageClassName, dns1123Subdomain));
  errors.push(...checkOptionalOneOf(`${path}.volumeMode`, volumeMode, volumeModes));
  validateDataSources(spec, path, errors);
  const classPath = `${path}.volumeAttributesClassName`;
  errors.push(...checkOptional(classPath, volumeAttributesClassName, dns1123Subdomain));
}

export function validateVolumeCreate(volume: PersistentVolume, errors: FieldError[]): void {
  validateVolumeSpec(volume.spec ?? {}, "spec", errors);
}

export function validateVolumeUpdate(
  volume: PersistentVolume,
  old: PersistentVolume,
  errors: FieldError[],
): void {
  validateVolumeCreate(volume, errors);
  const before = sourceOf(old.spec ?? {});
  const after = sourceOf(volume.spec ?? {});
  if (!semanticallyEqual(before, after)) {
    const difference = describeDifference(before, after);
    errors.push(forbiddenField("spec.persistentvolumesource", `${sourceIsFixed}\n${difference}`));
  }
  errors.push(...checkImmutable("volumeMode", volume.spec?.volumeMode, old.spec?.volumeMode));
  const { nodeAffinity } = volume.spec ?? {};
  if (old.spec?.nodeAffinity && !semanticallyEqual(nodeAffinity, old.spec.nodeAffinity)) {
    const detail = `${fieldIsImmutable}, except for updating from beta label to GA`;
    errors.push(invalidValue("nodeAffinity", nodeAffinity ?? null, detail));
  }
}

function validateVolumeSpec(spec: PersistentVolumeSpec, path: string, errors: FieldError[]): void {
  const modes = spec.accessModes ?? [];
  if (modes.length === 0) errors.push(required(`${path}.accessModes`));
  checkAccessModes(modes, `${path}.accessModes`, errors);
  const capacity = spec.capacity ?? {};
  const names = Object.keys(capacity);
  if (names.length === 0) errors.push(required(`${path}.capacity`));
  if (capacity["storage"] === undefined || names.length > 1) {
    errors.push(notSupported(`${path}.capacity`, spec.capacity ?? null, ["storage"]));
  }
  for (const name of names) {
    const quantity = capacity[name]!;
    const at = `${path}.capacity[${name}]`;
    const units = quantityUnits(parseQuantity(quantity));
    if (units < 0n) errors.push(invalidValue(at, units, "must be a valid resource quantity"));
    errors.push(...checkPositiveQuantity(at, quantity));
  }
  const policyPath = `${path}.persistentVolumeReclaimPolicy`;
  const policy = spec.persistentVolumeReclaimPolicy;
  errors.push(...checkOptionalOneOf(policyPath, policy, reclaimPolicies));
  if (spec.nodeAffinity) {
    const at = `${path}.nodeAffinity.required`;
    if (spec.nodeAffinity.required) validateNodeSelector(spec.nodeAffinity.required, at, errors);
    else errors.push(required(at, "must specify required node constraints"));
  }
  const sources = Object.keys(sourceOf(spec));
  for (const extra of sources.slice(1)) {
    const detail = "may not specify more than 1 volume type";
    errors.push(forbiddenField(`${path}.${extra}`, detail));
  }
  if (sources.length === 0) errors.push(required(path, "must specify a volume type"));
  if (sources[0] === "hostPath") errors.push(...checkHostPath(spec.hostPath, `${path}.hostPath`));
  if (sources[0] === "local" && !spec.nodeAffinity) {
    errors.push(required(`${path}.nodeAffinity`, "Local volume requires node affinity"));
  }
  if (spec.csi) {
    errors.push(...checkText(`${path}.csi.driver`, spec.csi.driver));
    errors.push(...checkText(`${path}.csi.volumeHandle`, spec.csi.volumeHandle));
  }
  errors.push(
    ...checkOptional(`${path}.storageClassName`, spec.storageClassName, dns1123Subdomain),
  );
  errors.push(...checkOptionalOneOf(`${path}.volumeMode`, spec.volumeMode, volumeModes));
}

function validateDataSources(
  spec: PersistentVolumeClaimSpec | undefined,
  path: string,
  errors: FieldError[],
): void {
  for (const key of ["dataSource", "dataSourceRef"] as const) {
    const source = spec?.[key];
    if (!source) continue;
    errors.push(...checkText(`${path}.${key}.name`, source.name));
    errors.push(...checkText(`${path}.${key}.kind`, source.kind));
    if ((source.apiGroup ?? "") === "" && source.kind !== "PersistentVolumeClaim") {
      const detail = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
      errors.push(invalidValue(`${path}.${key}`, source.kind, detail));
    }
    const groupPath = `${path}.${key}.apiGroup`;
    errors.push(...checkOptional(groupPath, source.apiGroup, dns1123Subdomain));
  }
}

function checkAccessModes(modes: readonly string[], path: string, errors: FieldError[]): void {
  for (const mode of modes) {
    if (!accessModes.includes(mode)) errors.push(notSupported(path, mode, accessModes));
  }
  const others = modes.filter((mode) => mode !== "ReadWriteOncePod" && accessModes.includes(mode));
  if (others.length > 0 && modes.includes("ReadWriteOncePod")) {
    const detail = "may not use ReadWriteOncePod with other access modes";
    errors.push(forbiddenField(path, detail));
  }
}

function checkPositiveQuantity(path: string, quantity: string): readonly FieldError[] {
  if (compareQuantityTexts(quantity, "0") > 0) return [];
  return [invalidValue(path, quantity, "must be greater than zero")];
}

/** The claim as it would be had its author changed nothing that may change. */
function structuralCopy(
  after: PersistentVolumeClaimSpec,
  before: PersistentVolumeClaimSpec,
  isBound: boolean,
): PersistentVolumeClaimSpec {
  const munged: PersistentVolumeClaimSpec = { ...after };
  const keep = (key: "volumeName" | "storageClassName" | "volumeAttributesClassName"): void => {
    const value = before[key];
    if (value === undefined) delete munged[key];
    else munged[key] = value;
  };
  if ((before.volumeName ?? "") === "") keep("volumeName");
  if (before.storageClassName === undefined) keep("storageClassName");
  if (isBound && after.volumeAttributesClassName !== undefined) keep("volumeAttributesClassName");
  const size = before.resources?.requests?.["storage"];
  if (isBound && after.resources?.requests && size !== undefined) {
    const requests = { ...after.resources.requests, storage: size };
    munged.resources = { ...after.resources, requests };
  }
  return munged;
}

function sourceOf(spec: PersistentVolumeSpec): Record<string, unknown> {
  const entries = Object.entries(spec).filter(
    ([key, value]) => !volumeSettings.has(key) && value !== undefined,
  );
  return Object.fromEntries(entries);
}
