// Validation of the storage group, and of priority and runtime classes, which are alike: small, named, mostly fixed
// (upstream: pkg/apis/storage/validation, pkg/apis/scheduling/validation, pkg/apis/node/validation).
import {
  duplicateValue,
  type FieldError,
  forbiddenField,
  invalidValue,
  required,
  tooLong,
} from "../meta/field-error.ts";
import type { RuntimeClass } from "../types/node-v1.ts";
import type { PriorityClass } from "../types/scheduling-v1.ts";
import type {
  CSIDriver,
  CSIDriverSpec,
  CSINode,
  CSINodeDriver,
  CSIStorageCapacity,
  StorageClass,
  VolumeAttachment,
  VolumeAttachmentSpec,
  VolumeAttributesClass,
} from "../types/storage-v1.ts";
import {
  checkIfGiven,
  checkImmutable,
  checkNotNegative,
  checkOneOf,
  checkOptionalOneOf,
  checkText,
  fieldIsImmutable,
  invalidEach,
  notNegative,
} from "./checks.ts";
import { dns1123Label, dns1123Subdomain, labelValueRule, qualifiedName } from "./names.ts";
import { validateContainerResources } from "./resource-validation.ts";
import { validateTolerations } from "./scheduling-validation.ts";
import { validateLabelSelector } from "./selector-validation.ts";
import { semanticallyEqual } from "./semantic-equality.ts";
import { getKey } from "../../std/json.ts";
import { utf8Length } from "../../std/utf8.ts";

const driverNameMaxBytes = 63;
const nodeIDMaxLength = 256;
const parametersMax = 512;
const parametersMaxBytes = 256 * 1024;
const tokenSecondsMin = 600;
const tokenSecondsMax = 2 ** 32;
const updatePeriodMin = 10;
const userPriorityMax = 1_000_000_000;
const systemPrefix = "system-";
const systemPriorities: Readonly<Record<string, number>> = {
  "system-cluster-critical": 2_000_000_000,
  "system-node-critical": 2_000_001_000,
};
const reservedNames =
  "priority class names with 'system-' prefix are reserved for system use only. error:";
const groupPolicies = ["File", "None", "ReadWriteOnceWithFSType"];
const lifecycleModes = ["Ephemeral", "Persistent"];

export function validateStorageClass(storageClass: StorageClass, errors: FieldError[]): void {
  checkProvisioner("provisioner", storageClass.provisioner, errors);
  checkParameters(storageClass.parameters ?? {}, errors);
  const { reclaimPolicy, volumeBindingMode } = storageClass;
  errors.push(...checkOptionalOneOf("reclaimPolicy", reclaimPolicy, ["Delete", "Retain"]));
  const modes = ["Immediate", "WaitForFirstConsumer"];
  errors.push(...checkOneOf("volumeBindingMode", volumeBindingMode, modes));
}

export function validateStorageClassUpdate(
  storageClass: StorageClass,
  old: StorageClass,
  errors: FieldError[],
): void {
  const { provisioner, parameters } = storageClass;
  if (provisioner === "") errors.push(required("provisioner"));
  errors.push(...checkImmutable("parameters", parameters, old.parameters));
  errors.push(...checkImmutable("provisioner", provisioner, old.provisioner));
  for (const key of ["reclaimPolicy", "volumeBindingMode"] as const) {
    errors.push(...checkImmutable(key, storageClass[key], old[key]));
  }
}

/** Upstream judges, and names, the text in lower case. */
function checkProvisioner(path: string, name: string | undefined, errors: FieldError[]): void {
  errors.push(...checkText(path, name?.toLowerCase(), qualifiedName));
}

function checkParameters(parameters: Readonly<Record<string, string>>, errors: FieldError[]): void {
  const pairs = Object.entries(parameters);
  if (pairs.length > parametersMax) {
    errors.push(tooLong("parameters", parametersMax));
    return;
  }
  let bytes = 0;
  for (const [key, value] of pairs) {
    if (key === "") errors.push(invalidValue("parameters", key, "field can not be empty."));
    bytes += utf8Length(key) + utf8Length(value);
  }
  if (bytes > parametersMaxBytes) errors.push(tooLong("parameters", parametersMaxBytes));
}

export function validateVolumeAttributesClass(
  attributesClass: VolumeAttributesClass,
  errors: FieldError[],
): void {
  checkProvisioner("driverName", attributesClass.driverName, errors);
  const { parameters = {} } = attributesClass;
  checkParameters(parameters, errors);
  if (Object.keys(parameters).length === 0) {
    errors.push(required("parameters", "must contain at least one key/value pair"));
  }
}

export function validateVolumeAttributesClassUpdate(
  attributesClass: VolumeAttributesClass,
  old: VolumeAttributesClass,
  errors: FieldError[],
): void {
  for (const key of ["driverName", "parameters"] as const) {
    if (semanticallyEqual(attributesClass[key], old[key])) continue;
    errors.push(forbiddenField(key, `updates to ${key} are forbidden.`));
  }
  validateVolumeAttributesClass(attributesClass, errors);
}

export function validateVolumeAttachment(attachment: VolumeAttachment, errors: FieldError[]): void {
  const spec: Partial<VolumeAttachmentSpec> = attachment.spec ?? {};
  const { attacher, nodeName = "", source } = spec;
  errors.push(...checkDriverName("spec.attacher", attacher));
  const { persistentVolumeName, inlineVolumeSpec } = source ?? {};
  if (!inlineVolumeSpec && persistentVolumeName === undefined) {
    const detail = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
    errors.push(required("spec.source", detail));
  }
  if (inlineVolumeSpec && persistentVolumeName !== undefined) {
    const detail = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
    errors.push(forbiddenField("spec.source", detail));
  }
  const namePath = "spec.source.persistentVolumeName";
  if (persistentVolumeName === "") {
    errors.push(required(namePath, "must specify non empty persistentVolumeName"));
  }
  errors.push(...invalidEach("spec.nodeName", nodeName, dns1123Subdomain(nodeName)));
  errors.push(...checkIfGiven(namePath, persistentVolumeName, dns1123Subdomain));
}

/** The name a CSI driver registers with. */
export function checkDriverName(path: string, name = ""): readonly FieldError[] {
  if (name === "") return [required(path)];
  const complaints = invalidEach(path, name, dns1123Subdomain(name.toLowerCase()));
  const isLong = utf8Length(name) > driverNameMaxBytes;
  return isLong ? [tooLong(path, driverNameMaxBytes), ...complaints] : complaints;
}

export function validateVolumeAttachmentUpdate(
  attachment: VolumeAttachment,
  old: VolumeAttachment,
  errors: FieldError[],
): void {
  validateVolumeAttachment(attachment, errors);
  if (semanticallyEqual(attachment.spec, old.spec)) return;
  errors.push(invalidValue("spec", attachmentForm(attachment), fieldIsImmutable));
}

/** As Go prints the type inside of the server, but for the fields of an inline volume. */
function attachmentForm(attachment: VolumeAttachment): object {
  const spec: Partial<VolumeAttachmentSpec> = attachment.spec ?? {};
  const { attacher = "", nodeName = "", source } = spec;
  const { persistentVolumeName = null, inlineVolumeSpec = null } = source ?? {};
  return {
    Attacher: attacher,
    Source: { PersistentVolumeName: persistentVolumeName, InlineVolumeSpec: inlineVolumeSpec },
    NodeName: nodeName,
  };
}

export function validateCSIDriver(driver: CSIDriver, errors: FieldError[]): void {
  const { fsGroupPolicy, volumeLifecycleModes } = driver.spec ?? {};
  errors.push(...checkOptionalOneOf("spec.fsGroupPolicy", fsGroupPolicy, groupPolicies));
  for (const mode of volumeLifecycleModes ?? []) {
    errors.push(...checkOptionalOneOf("spec.volumeLifecycleModes", mode, lifecycleModes));
  }
  validateTokenRequests(driver.spec ?? {}, errors);
  const period = driver.spec?.nodeAllocatableUpdatePeriodSeconds;
  if (period !== undefined && period < updatePeriodMin) {
    const detail = `must be greater than or equal to ${updatePeriodMin} seconds`;
    errors.push(invalidValue("spec.nodeAllocatableUpdatePeriodSeconds", period, detail));
  }
}

function validateTokenRequests(spec: Partial<CSIDriverSpec>, errors: FieldError[]): void {
  const requests = spec.tokenRequests ?? [];
  const audiences = new Set<string>();
  for (const [i, { audience, expirationSeconds = tokenSecondsMin }] of requests.entries()) {
    const at = `spec.tokenRequests[${i}]`;
    if (audiences.has(audience)) {
      errors.push(duplicateValue(`${at}.audience`, audience));
      continue;
    }
    audiences.add(audience);
    const path = `${at}.expirationSeconds`;
    if (expirationSeconds < tokenSecondsMin) {
      const detail = "may not specify a duration less than 10 minutes";
      errors.push(invalidValue(path, expirationSeconds, detail));
    }
    if (expirationSeconds > tokenSecondsMax) {
      const detail = "may not specify a duration larger than 2^32 seconds";
      errors.push(invalidValue(path, expirationSeconds, detail));
    }
  }
  const inSecrets = spec.serviceAccountTokenInSecrets;
  if (inSecrets !== undefined && requests.length === 0) {
    const detail = "serviceAccountTokenInSecrets is set but no tokenRequests are specified";
    errors.push(invalidValue("spec.serviceAccountTokenInSecrets", inSecrets, detail));
  }
}

export function validateCSIDriverUpdate(
  driver: CSIDriver,
  old: CSIDriver,
  errors: FieldError[],
): void {
  validateCSIDriver(driver, errors);
  const { attachRequired, volumeLifecycleModes } = driver.spec ?? {};
  errors.push(...checkImmutable("spec.attachedRequired", attachRequired, old.spec?.attachRequired));
  const modes = old.spec?.volumeLifecycleModes;
  errors.push(...checkImmutable("spec.volumeLifecycleModes", volumeLifecycleModes, modes));
}

export function validateCSINode(node: CSINode, errors: FieldError[]): void {
  const names = new Set<string>();
  for (const [i, driver] of (node.spec?.drivers ?? []).entries()) {
    const path = `spec.drivers[${i}]`;
    validateNodeDriver(driver, path, errors);
    if (names.has(driver.name)) errors.push(duplicateValue(`${path}.name`, driver.name));
    names.add(driver.name);
    const keys = driver.topologyKeys ?? [];
    for (const [j, key] of keys.entries()) {
      if (key === "") errors.push(required(path));
      if (keys.indexOf(key) < j) errors.push(duplicateValue(path, key));
      errors.push(...invalidEach(path, key, qualifiedName(key)));
    }
  }
}

function validateNodeDriver(driver: CSINodeDriver, path: string, errors: FieldError[]): void {
  errors.push(...checkDriverName(`${path}.name`, driver.name));
  errors.push(...checkText(`${path}.nodeID`, driver.nodeID));
  if (utf8Length(driver.nodeID) > nodeIDMaxLength) {
    const detail = `must be ${nodeIDMaxLength} characters or less`;
    errors.push(invalidValue(`${path}.nodeID`, driver.nodeID, detail));
  }
  errors.push(...checkNotNegative(`${path}.allocatable.count`, driver.allocatable?.count));
}

export function validateCSIStorageCapacity(
  capacity: CSIStorageCapacity,
  errors: FieldError[],
): void {
  validateLabelSelector(capacity.nodeTopology, "nodeTopology", errors);
  const className = capacity.storageClassName;
  errors.push(...invalidEach("storageClassName", className, dns1123Subdomain(className)));
  const amount = capacity.capacity;
  if (amount?.startsWith("-")) errors.push(invalidValue("capacity", amount, notNegative));
}

export function validateCSIStorageCapacityUpdate(
  capacity: CSIStorageCapacity,
  old: CSIStorageCapacity,
  errors: FieldError[],
): void {
  errors.push(...checkImmutable("nodeTopology", capacity.nodeTopology, old.nodeTopology));
  const className = capacity.storageClassName;
  errors.push(...invalidEach("storageClassName", className, dns1123Subdomain(className)));
  errors.push(...checkImmutable("storageClassName", className, old.storageClassName));
}

export function validatePriorityClass(priorityClass: PriorityClass, errors: FieldError[]): void {
  const { name = "" } = priorityClass.metadata;
  const { value } = priorityClass;
  if (name.startsWith(systemPrefix)) {
    const known = getKey(systemPriorities, name);
    if (known === undefined) {
      const detail = `${reservedNames} ${name} is not a known system priority class`;
      errors.push(forbiddenField("metadata.name", detail));
    } else if (known !== value) {
      const detail = `${reservedNames} value of ${name} PriorityClass must be ${known}`;
      errors.push(forbiddenField("metadata.name", detail));
    }
  } else if (value > userPriorityMax) {
    const detail = `maximum allowed value of a user defined priority is ${userPriorityMax}`;
    errors.push(forbiddenField("value", detail));
  }
  const policies = ["PreemptLowerPriority", "Never"];
  errors.push(...checkOptionalOneOf("preemptionPolicy", priorityClass.preemptionPolicy, policies));
}

export function validatePriorityClassUpdate(
  priorityClass: PriorityClass,
  old: PriorityClass,
  errors: FieldError[],
): void {
  if (priorityClass.value !== old.value) {
    errors.push(forbiddenField("value", "may not be changed in an update."));
  }
  const policy = priorityClass.preemptionPolicy;
  errors.push(...checkImmutable("preemptionPolicy", policy, old.preemptionPolicy));
}

export function validateRuntimeClass(runtimeClass: RuntimeClass, errors: FieldError[]): void {
  errors.push(...checkText("handler", runtimeClass.handler, dns1123Label));
  const { podFixed } = runtimeClass.overhead ?? {};
  if (podFixed) validateContainerResources({ limits: podFixed }, "overhead", errors);
  for (const [key, value] of Object.entries(runtimeClass.scheduling?.nodeSelector ?? {})) {
    const path = "scheduling.nodeSelector";
    errors.push(...invalidEach(path, key, qualifiedName(key)));
    errors.push(...invalidEach(path, value, labelValueRule(value)));
  }
  validateTolerations(runtimeClass.scheduling?.tolerations ?? [], "scheduling.tolerations", errors);
}

export function validateRuntimeClassUpdate(
  runtimeClass: RuntimeClass,
  old: RuntimeClass,
  errors: FieldError[],
): void {
  if (runtimeClass.handler === "") errors.push(required("handler"));
  errors.push(...checkImmutable("handler", runtimeClass.handler, old.handler));
}
