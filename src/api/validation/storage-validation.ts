// Validation of the storage group, and of priority and runtime classes, which are alike: small, named, mostly fixed
// (upstream: pkg/apis/storage/validation, pkg/apis/scheduling/validation, pkg/apis/node/validation).
import {
  duplicateValue,
  type FieldError,
  forbiddenField,
  invalidValue,
  required,
} from "../meta/field-error.ts";
import type { RuntimeClass } from "../types/node-v1.ts";
import type { PriorityClass } from "../types/scheduling-v1.ts";
import type {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  StorageClass,
  VolumeAttachment,
  VolumeAttributesClass,
} from "../types/storage-v1.ts";
import {
  checkImmutable,
  checkOneOf,
  checkOptionalOneOf,
  checkText,
  invalidEach,
} from "./checks.ts";
import { dns1123Label, dns1123Subdomain, qualifiedName } from "./names.ts";
import { validateTolerations } from "./scheduling-validation.ts";
import { validateLabelSelector } from "./selector-validation.ts";
import { semanticallyEqual } from "./semantic-equality.ts";
import { getKey } from "../../std/json.ts";

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
  const rule = (text: string) => qualifiedName(text.toLowerCase());
  errors.push(...checkText("provisioner", storageClass.provisioner, rule));
  for (const key of Object.keys(storageClass.parameters ?? {})) {
    if (key === "") {
      errors.push(invalidValue("parameters", key, "field can not be empty."));
    }
  }
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
  for (const key of ["parameters", "provisioner", "reclaimPolicy"] as const) {
    if (semanticallyEqual(storageClass[key], old[key])) continue;
    errors.push(forbiddenField(key, `updates to ${key} are forbidden.`));
  }
  const mode = storageClass.volumeBindingMode;
  errors.push(...checkImmutable("volumeBindingMode", mode, old.volumeBindingMode));
}

export function validateVolumeAttributesClass(
  attributesClass: VolumeAttributesClass,
  errors: FieldError[],
): void {
  const rule = (text: string) => qualifiedName(text.toLowerCase());
  errors.push(...checkText("driverName", attributesClass.driverName, rule));
  if (Object.keys(attributesClass.parameters ?? {}).length === 0) {
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
}

export function validateVolumeAttachment(attachment: VolumeAttachment, errors: FieldError[]): void {
  const { attacher, nodeName, source } = attachment.spec ?? {};
  errors.push(...checkText("spec.attacher", attacher));
  const { persistentVolumeName, inlineVolumeSpec } = source ?? {};
  if (!inlineVolumeSpec && persistentVolumeName === undefined) {
    const detail = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
    errors.push(required("spec.source", detail));
  }
  if (inlineVolumeSpec && persistentVolumeName !== undefined) {
    const detail = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
    errors.push(forbiddenField("spec.source", detail));
  }
  if (persistentVolumeName === "") errors.push(required("spec.source.persistentVolumeName"));
  errors.push(...checkText("spec.nodeName", nodeName, dns1123Subdomain));
}

export function validateVolumeAttachmentUpdate(
  attachment: VolumeAttachment,
  old: VolumeAttachment,
  errors: FieldError[],
): void {
  if (!semanticallyEqual(attachment.spec, old.spec)) {
    errors.push(invalidValue("spec", attachment.spec, "field is immutable"));
  }
}

export function validateCSIDriver(driver: CSIDriver, errors: FieldError[]): void {
  const { fsGroupPolicy, volumeLifecycleModes } = driver.spec ?? {};
  errors.push(...checkOptionalOneOf("spec.fsGroupPolicy", fsGroupPolicy, groupPolicies));
  for (const mode of volumeLifecycleModes ?? []) {
    errors.push(...checkOptionalOneOf("spec.volumeLifecycleModes", mode, lifecycleModes));
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
    errors.push(...checkText(`${path}.name`, driver.name));
    errors.push(...checkText(`${path}.nodeID`, driver.nodeID));
    if (names.has(driver.name)) errors.push(duplicateValue(`${path}.name`, driver.name));
    names.add(driver.name);
    for (const key of driver.topologyKeys ?? []) {
      errors.push(...invalidEach(path, key, qualifiedName(key)));
    }
  }
}

export function validateCSIStorageCapacity(
  capacity: CSIStorageCapacity,
  errors: FieldError[],
): void {
  const className = capacity.storageClassName;
  errors.push(...invalidEach("storageClassName", className, dns1123Subdomain(className)));
  validateLabelSelector(capacity.nodeTopology, "nodeTopology", errors);
}

export function validateCSIStorageCapacityUpdate(
  capacity: CSIStorageCapacity,
  old: CSIStorageCapacity,
  errors: FieldError[],
): void {
  validateCSIStorageCapacity(capacity, errors);
  errors.push(...checkImmutable("nodeTopology", capacity.nodeTopology, old.nodeTopology));
  const className = capacity.storageClassName;
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
  const { handler } = runtimeClass;
  errors.push(...invalidEach("handler", handler, dns1123Label(handler)));
  validateTolerations(runtimeClass.scheduling?.tolerations ?? [], "scheduling.tolerations", errors);
}

export function validateRuntimeClassUpdate(
  runtimeClass: RuntimeClass,
  old: RuntimeClass,
  errors: FieldError[],
): void {
  validateRuntimeClass(runtimeClass, errors);
  errors.push(...checkImmutable("handler", runtimeClass.handler, old.handler));
}
