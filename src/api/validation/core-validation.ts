// Validation of the core group's other kinds (upstream: pkg/apis/core/validation/validation.go).
import {
  duplicateValue,
  type FieldError,
  forbiddenField,
  invalidValue,
  required,
  tooLong,
} from "../meta/field-error.ts";
import type {
  Binding,
  ConfigMap,
  Endpoints,
  Namespace,
  Node,
  PodTemplate,
  ReplicationController,
  Secret,
} from "../types/core-v1.ts";
import {
  checkImmutable,
  checkNotNegative,
  checkOneOf,
  checkOptional,
  invalidEach,
} from "./checks.ts";
import { protocols } from "./container-validation.ts";
import { checkCIDR, checkIP, checkNotSpecialIP } from "./ip-rules.ts";
import {
  configMapKey,
  dns1123Label,
  dns1123Subdomain,
  portNumber,
  qualifiedName,
} from "./names.ts";
import { validatePodTemplate } from "./pod-validation.ts";
import { validateResourceQuantity } from "./resource-validation.ts";
import { validateTaints } from "./scheduling-validation.ts";
import { selectorMisses, selectsLabels } from "./selector-validation.ts";
import { semanticallyEqual } from "./semantic-equality.ts";
import { validateSecretType } from "./secret-types.ts";
import { utf8Length } from "../../std/utf8.ts";
import { getKey } from "../../std/json.ts";

/** Of all values together, decoded. */
const dataMaxBytes = 1_048_576;
const fixedWhenImmutable = "field is immutable when `immutable` is set";
const standardFinalizer = "kubernetes";

export function validateConfigMap(configMap: ConfigMap, errors: FieldError[]): void {
  let bytes = 0;
  for (const [key, value] of Object.entries(configMap.data ?? {})) {
    errors.push(...invalidEach(`data[${key}]`, key, configMapKey(key)));
    if (getKey(configMap.binaryData, key) !== undefined) {
      errors.push(invalidValue(`data[${key}]`, key, "duplicate of key present in binaryData"));
    }
    bytes += utf8Length(value);
  }
  for (const [key, value] of Object.entries(configMap.binaryData ?? {})) {
    errors.push(...invalidEach(`binaryData[${key}]`, key, configMapKey(key)));
    bytes += decodedLength(value);
  }
  // The empty path means the object as a whole.
  if (bytes > dataMaxBytes) errors.push(tooLong("", dataMaxBytes));
}

export function validateConfigMapUpdate(
  configMap: ConfigMap,
  old: ConfigMap,
  errors: FieldError[],
): void {
  if (old.immutable === true) {
    if (configMap.immutable !== true) errors.push(forbiddenField("immutable", fixedWhenImmutable));
    for (const key of ["data", "binaryData"] as const) {
      if (semanticallyEqual(configMap[key], old[key])) continue;
      errors.push(forbiddenField(key, fixedWhenImmutable));
    }
  }
  validateConfigMap(configMap, errors);
}

export function validateSecret(secret: Secret, errors: FieldError[]): void {
  let bytes = 0;
  for (const [key, value] of Object.entries(secret.data ?? {})) {
    errors.push(...invalidEach(`data[${key}]`, key, configMapKey(key)));
    bytes += decodedLength(value);
  }
  if (bytes > dataMaxBytes) errors.push(tooLong("data", dataMaxBytes));
  validateSecretType(secret, errors);
}

export function validateSecretUpdate(secret: Secret, old: Secret, errors: FieldError[]): void {
  errors.push(...checkImmutable("type", secret.type, old.type));
  if (old.immutable === true) {
    if (secret.immutable !== true) errors.push(forbiddenField("immutable", fixedWhenImmutable));
    if (!semanticallyEqual(secret.data, old.data)) {
      errors.push(forbiddenField("data", fixedWhenImmutable));
    }
  }
  validateSecret(secret, errors);
}

export function validateNamespace(namespace: Namespace, errors: FieldError[]): void {
  for (const finalizer of namespace.spec?.finalizers ?? []) {
    validateNamespaceFinalizer(finalizer, "spec.finalizers", errors);
  }
}

export function validateNamespaceStatusUpdate(namespace: Namespace, errors: FieldError[]): void {
  const isDeleted = typeof namespace.metadata.deletionTimestamp === "string";
  const wanted = isDeleted ? "Terminating" : "Active";
  const phase = namespace.status?.phase ?? "";
  if (phase === wanted) return;
  const detail = `may only be '${wanted}' if \`deletionTimestamp\` is ${isDeleted ? "not empty" : "empty"}`;
  errors.push(invalidValue("status.Phase", phase, detail));
}

export function validateNamespaceFinalize(namespace: Namespace, errors: FieldError[]): void {
  for (const [i, finalizer] of (namespace.spec?.finalizers ?? []).entries()) {
    validateNamespaceFinalizer(finalizer, `spec.finalizers[${i}]`, errors);
  }
}

export function validateNode(node: Node, errors: FieldError[]): void {
  validateTaints(node.spec?.taints ?? [], "metadata.taints", errors);
  for (const key of ["capacity", "allocatable"] as const) {
    for (const [name, quantity] of Object.entries(node.status?.[key] ?? {})) {
      errors.push(...validateResourceQuantity(name, quantity, `status.${key}.${name}`));
    }
  }
  const cidrs = node.spec?.podCIDRs ?? [];
  for (const [i, cidr] of cidrs.entries()) errors.push(...checkCIDR(`spec.podCIDRs[${i}]`, cidr));
  const families = new Set(cidrs.map((cidr) => cidr.includes(":")));
  if (cidrs.length > families.size) {
    const detail = "may specify no more than one CIDR for each IP family";
    errors.push(invalidValue("spec.podCIDRs", cidrs, detail));
  }
}

export function validateNodeUpdate(node: Node, old: Node, errors: FieldError[]): void {
  validateNode(node, errors);
  const addresses = new Set<string>();
  for (const [i, address] of (node.status?.addresses ?? []).entries()) {
    const pair = `${address.type} ${address.address}`;
    if (addresses.has(pair)) errors.push(duplicateValue(`status.addresses[${i}]`, address));
    addresses.add(pair);
  }
  const before = old.spec?.podCIDRs ?? [];
  if (before.length > 0 && !semanticallyEqual(before, node.spec?.podCIDRs)) {
    const detail = 'node updates may not change podCIDR except from "" to valid';
    errors.push(forbiddenField("spec.podCIDRs", detail));
  }
  const providerID = old.spec?.providerID ?? "";
  if (providerID !== "" && providerID !== node.spec?.providerID) {
    const detail = 'node updates may not change providerID except from "" to valid';
    errors.push(forbiddenField("spec.providerID", detail));
  }
}

export function validatePodTemplateObject(podTemplate: PodTemplate, errors: FieldError[]): void {
  validatePodTemplate(podTemplate.template ?? { metadata: {} }, "template", errors);
}

export function validateReplicationController(
  controller: ReplicationController,
  errors: FieldError[],
): void {
  const spec = controller.spec ?? {};
  errors.push(...checkNotNegative("spec.minReadySeconds", spec.minReadySeconds));
  const selector = spec.selector ?? {};
  const isEmpty = Object.keys(selector).length === 0;
  if (isEmpty) errors.push(required("spec.selector"));
  errors.push(...checkNotNegative("spec.replicas", spec.replicas));
  const { template } = spec;
  if (!template) {
    errors.push(required("spec.template"));
    return;
  }
  const labels = template.metadata?.labels;
  if (!isEmpty && !selectsLabels({ matchLabels: selector }, labels ?? {})) {
    errors.push(selectorMisses("spec.template.metadata.labels", labels));
  }
  validatePodTemplate(template, "spec.template", errors);
  const restartPolicy = template.spec?.restartPolicy;
  errors.push(...checkOneOf("spec.template.spec.restartPolicy", restartPolicy, ["Always"]));
  if (template.spec?.activeDeadlineSeconds !== undefined) {
    const detail = "activeDeadlineSeconds in ReplicationController is not Supported";
    errors.push(forbiddenField("spec.template.spec.activeDeadlineSeconds", detail));
  }
}

export function validateEndpoints(endpoints: Endpoints, errors: FieldError[]): void {
  for (const [i, subset] of (endpoints.subsets ?? []).entries()) {
    const path = `subsets[${i}]`;
    if ((subset.addresses ?? []).length === 0 && (subset.notReadyAddresses ?? []).length === 0) {
      errors.push(required(path, "must specify `addresses` or `notReadyAddresses`"));
    }
    for (const key of ["addresses", "notReadyAddresses"] as const) {
      for (const [j, { ip, hostname, nodeName }] of (subset[key] ?? []).entries()) {
        const at = `${path}.${key}[${j}]`;
        errors.push(...checkIP(`${at}.ip`, ip));
        errors.push(...checkOptional(`${at}.hostname`, hostname, dns1123Label));
        if (nodeName !== undefined) {
          errors.push(...invalidEach(`${at}.nodeName`, nodeName, dns1123Subdomain(nodeName)));
        }
        errors.push(...checkNotSpecialIP(`${at}.ip`, ip));
      }
    }
    const ports = subset.ports ?? [];
    for (const [j, port] of ports.entries()) {
      const at = `${path}.ports[${j}]`;
      if (ports.length > 1 && (port.name ?? "") === "") errors.push(required(`${at}.name`));
      errors.push(...checkOptional(`${at}.name`, port.name, dns1123Label));
      errors.push(...invalidEach(`${at}.port`, port.port, portNumber(port.port)));
      errors.push(...checkOneOf(`${at}.protocol`, port.protocol, protocols));
      errors.push(...checkOptional(`${at}.appProtocol`, port.appProtocol, qualifiedName));
    }
  }
}

/** A binding names its pod in metadata and is never stored; only its target is judged. */
export function validateBinding(binding: Binding, errors: FieldError[]): void {
  const { kind = "", name = "" } = binding.target ?? {};
  if (kind !== "" && kind !== "Node") {
    errors.push(...checkOneOf("target.kind", kind, ["Node", "<empty>"]));
  }
  if (name === "") errors.push(required("target.name"));
}

function validateNamespaceFinalizer(finalizer: string, path: string, errors: FieldError[]): void {
  errors.push(...invalidEach(path, finalizer, qualifiedName(finalizer)));
  if (finalizer.includes("/") || finalizer === standardFinalizer) return;
  const detail = "name is neither a standard finalizer name nor is it fully qualified";
  errors.push(invalidValue(path, finalizer, detail));
}

/** Bytes that a base64 text stands for. */
function decodedLength(base64: string): number {
  const padding = base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0;
  return (base64.length / 4) * 3 - padding;
}
