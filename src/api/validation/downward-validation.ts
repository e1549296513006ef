// Validation of the references by which a pod shows itself to its containers (upstream:
// pkg/apis/core/validation/validation.go, validateObjectFieldSelector and validateContainerResourceFieldSelector).
import { type FieldError, invalidValue, notSupported } from "../meta/field-error.ts";
import type { ObjectFieldSelector, ResourceFieldSelector } from "../types/core-v1.ts";
import { checkText, invalidEach } from "./checks.ts";
import { qualifiedName } from "./names.ts";

export interface Place {
  readonly path: string;
  readonly errors: FieldError[];
}

const fields = {
  env: [
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
  ],
  volume: [
    "metadata.annotations",
    "metadata.labels",
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
  ],
};
/** Known to the field label conversion, though not every one of them may be shown everywhere. */
const knownFields: ReadonlySet<string> = new Set([
  ...fields.env,
  ...fields.volume,
  "spec.restartPolicy",
  "spec.schedulerName",
  "status.phase",
]);
const resources = [
  "limits.cpu",
  "limits.ephemeral-storage",
  "limits.memory",
  "requests.cpu",
  "requests.ephemeral-storage",
  "requests.memory",
];
const hugePagesResource = /^(?:limits|requests)\.hugepages-/;
const subscripted = /^(metadata\.(?:annotations|labels))\['(.*)'\]$/;

export function validateFieldRef(
  ref: ObjectFieldSelector,
  where: "env" | "volume",
  { path, errors }: Place,
): void {
  const before = errors.length;
  errors.push(...checkText(`${path}.apiVersion`, ref.apiVersion));
  if (errors.length > before) return;
  errors.push(...checkText(`${path}.fieldPath`, ref.fieldPath));
  if (errors.length > before) return;
  const at = `${path}.fieldPath`;
  const [, map, key = ""] = subscripted.exec(ref.fieldPath) ?? [];
  if (map !== undefined) {
    const name = map === "metadata.annotations" ? key.toLowerCase() : key;
    errors.push(...invalidEach(path, name, qualifiedName(name)));
  } else if (!knownFields.has(ref.fieldPath)) {
    const detail = `error converting fieldPath: field label not supported: ${ref.fieldPath}`;
    errors.push(invalidValue(at, ref.fieldPath, detail));
  } else if (!fields[where].includes(ref.fieldPath)) {
    errors.push(notSupported(at, ref.fieldPath, fields[where]));
  }
}

export function validateResourceFieldRef(
  ref: ResourceFieldSelector,
  where: "env" | "volume",
  { path, errors }: Place,
): void {
  const before = errors.length;
  if (where === "volume") {
    errors.push(...checkText(`${path}.containerName`, ref.containerName));
    if (errors.length > before) return;
  }
  errors.push(...checkText(`${path}.resource`, ref.resource));
  if (errors.length > before) return;
  if (!resources.includes(ref.resource) && !hugePagesResource.test(ref.resource)) {
    errors.push(notSupported(`${path}.resource`, ref.resource, resources));
  }
}
