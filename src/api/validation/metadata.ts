// Validation of metadata at create and update: names by the kind's rule, labels, annotations, owners, finalizers,
// managed fields, and what may never change (upstream: apimachinery/pkg/api/validation/objectmeta.go). Whether an update
// must carry a resourceVersion is the registry's matter.
import {
  type FieldError,
  forbiddenField,
  invalidValue,
  required,
  tooLong,
} from "../meta/field-error.ts";
import type { ManagedFieldsEntry, ObjectMeta, OwnerReference } from "../types/meta-v1.ts";
import { fieldIsImmutable, notNegative } from "./checks.ts";
import { utf8Length } from "../../std/utf8.ts";
import { dns1123Label, labelValueRule, type NameRule, qualifiedName } from "./names.ts";

const annotationsMaxBytes = 262_144;
const fieldManagerMaxLength = 128;
const orphan = "orphan";
const foregroundDeletion = "foregroundDeletion";
const standardFinalizers: ReadonlySet<string> = new Set(["kubernetes", orphan, foregroundDeletion]);

export interface MetadataRules {
  readonly namespaced: boolean;
  readonly name: NameRule;
}

export function validateObjectMetaCreate(meta: ObjectMeta, rules: MetadataRules): FieldError[] {
  const errors: FieldError[] = [];
  const { name = "", generateName = "" } = meta;
  if (generateName !== "") {
    for (const complaint of rules.name(generateName, true)) {
      errors.push(invalidValue("metadata.generateName", generateName, complaint));
    }
  }
  if (name === "") {
    errors.push(required("metadata.name", "name or generateName is required"));
  } else {
    for (const complaint of rules.name(name, false)) {
      errors.push(invalidValue("metadata.name", name, complaint));
    }
  }
  validateNamespace(meta.namespace ?? "", rules, errors);
  if ((meta.generation ?? 0) < 0) {
    errors.push(invalidValue("metadata.generation", meta.generation, notNegative));
  }
  validateParts(meta, "metadata", errors);
  validateFinalizers(meta.finalizers ?? [], "metadata.finalizers", errors);
  validateManagedFields(meta.managedFields ?? [], "metadata.managedFields", errors);
  return errors;
}

/** `meta` is what would be stored: identity fields left out by the client were already copied from `old`. */
export function validateObjectMetaUpdate(meta: ObjectMeta, old: ObjectMeta): FieldError[] {
  const errors: FieldError[] = [];
  const finalizers = meta.finalizers ?? [];
  if (typeof old.deletionTimestamp === "string") {
    const kept = new Set(old.finalizers);
    const added = finalizers.filter((finalizer) => !kept.has(finalizer)).sort();
    if (added.length > 0) {
      const list = added.map((finalizer) => JSON.stringify(finalizer)).join(", ");
      const detail = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`;
      errors.push(forbiddenField("metadata.finalizers", detail));
    }
  }
  if ((meta.generation ?? 0) < (old.generation ?? 0)) {
    errors.push(
      invalidValue("metadata.generation", meta.generation ?? 0, "must not be decremented"),
    );
  }
  for (const key of immutableFields) {
    if ((meta[key] ?? undefined) !== (old[key] ?? undefined)) {
      errors.push(invalidValue(`metadata.${key}`, meta[key] ?? emptyOf(key), fieldIsImmutable));
    }
  }
  validateParts(meta, "metadata", errors);
  validateManagedFields(meta.managedFields ?? [], "metadata.managedFields", errors);
  validateFinalizers(finalizers, "metadata.finalizers", errors);
  return errors;
}

export function validateLabels(
  labels: Readonly<Record<string, string>> | undefined,
  path: string,
  errors: FieldError[],
): void {
  for (const key in labels) {
    for (const complaint of qualifiedName(key)) errors.push(invalidValue(path, key, complaint));
    const value = labels[key]!;
    for (const complaint of labelValueRule(value)) {
      errors.push(invalidValue(path, value, complaint));
    }
  }
}

export function validateAnnotations(
  annotations: Readonly<Record<string, string>> | undefined,
  path: string,
  errors: FieldError[],
): void {
  let bytes = 0;
  for (const key in annotations) {
    // Case is free in annotation keys; otherwise they are label keys.
    for (const complaint of qualifiedName(key.toLowerCase())) {
      errors.push(invalidValue(path, key, complaint));
    }
    bytes += utf8Length(key) + utf8Length(annotations[key]!);
  }
  if (bytes > annotationsMaxBytes) errors.push(tooLong(path, annotationsMaxBytes));
}

const immutableFields = [
  "name",
  "namespace",
  "uid",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
] as const;

/** What Go prints for a field that is not there: "" for strings, null for pointers and times. */
function emptyOf(key: (typeof immutableFields)[number]): "" | null {
  return key === "name" || key === "namespace" || key === "uid" ? "" : null;
}

function validateNamespace(namespace: string, rules: MetadataRules, errors: FieldError[]): void {
  if (!rules.namespaced) {
    if (namespace !== "") {
      errors.push(forbiddenField("metadata.namespace", "not allowed on this type"));
    }
    return;
  }
  if (namespace === "") {
    errors.push(required("metadata.namespace"));
    return;
  }
  for (const complaint of dns1123Label(namespace)) {
    errors.push(invalidValue("metadata.namespace", namespace, complaint));
  }
}

function validateParts(meta: ObjectMeta, path: string, errors: FieldError[]): void {
  validateLabels(meta.labels, `${path}.labels`, errors);
  validateAnnotations(meta.annotations, `${path}.annotations`, errors);
  validateOwnerReferences(meta.ownerReferences ?? [], `${path}.ownerReferences`, errors);
}

function validateOwnerReferences(
  owners: readonly OwnerReference[],
  path: string,
  errors: FieldError[],
): void {
  let controller = "";
  for (const owner of owners) {
    validateOwnerReference(owner, path, errors);
    if (owner.controller !== true) continue;
    const named = `${owner.kind}/${owner.name}`;
    if (controller === "") {
      controller = named;
      continue;
    }
    const detail = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${named}`;
    errors.push(invalidValue(path, owners, detail));
  }
}

function validateOwnerReference(owner: OwnerReference, path: string, errors: FieldError[]): void {
  const apiVersion = owner.apiVersion ?? "";
  if (apiVersion === "" || apiVersion.endsWith("/")) {
    errors.push(invalidValue(`${path}.apiVersion`, apiVersion, "version must not be empty"));
  }
  for (const key of ["kind", "name", "uid"] as const) {
    if ((owner[key] ?? "") === "") {
      errors.push(invalidValue(`${path}.${key}`, "", "must not be empty"));
    }
  }
  if (apiVersion === "v1" && owner.kind === "Event") {
    const detail = "/v1, Kind=Event is disallowed from being an owner";
    errors.push(invalidValue(path, owner, detail));
  }
}

function validateFinalizers(
  finalizers: readonly string[],
  path: string,
  errors: FieldError[],
): void {
  for (const finalizer of finalizers) {
    for (const complaint of qualifiedName(finalizer)) {
      errors.push(invalidValue(path, finalizer, complaint));
    }
  }
  if (finalizers.includes(orphan) && finalizers.includes(foregroundDeletion)) {
    const detail = `finalizer ${orphan} and ${foregroundDeletion} cannot be both set`;
    errors.push(invalidValue(path, finalizers, detail));
  }
}

/** Most kinds want a domain before the name of a finalizer that is not Kubernetes' own. */
export function checkFinalizerNames({ finalizers = [] }: ObjectMeta): readonly FieldError[] {
  const detail = "name is neither a standard finalizer name nor is it fully qualified";
  return finalizers.flatMap((finalizer, i) =>
    finalizer.includes("/") || standardFinalizers.has(finalizer)
      ? []
      : [invalidValue(`metadata.finalizers[${i}]`, finalizer, detail)],
  );
}

function validateManagedFields(
  entries: readonly ManagedFieldsEntry[],
  path: string,
  errors: FieldError[],
): void {
  for (const [i, entry] of entries.entries()) {
    const at = `${path}[${i}]`;
    const { operation = "", fieldsType = "", manager = "", subresource = "" } = entry;
    if (operation !== "Apply" && operation !== "Update") {
      const detail = "must be `Apply` or `Update`";
      errors.push(invalidValue(`${at}.operation`, operation, detail));
    }
    if (fieldsType !== "" && fieldsType !== "FieldsV1") {
      errors.push(invalidValue(`${at}.fieldsType`, fieldsType, "must be `FieldsV1`"));
    }
    if (utf8Length(manager) > fieldManagerMaxLength) {
      errors.push(tooLong(`${at}.manager`, fieldManagerMaxLength));
    }
    if (utf8Length(subresource) > subresourceMaxLength) {
      errors.push(tooLong(`${at}.subresource`, subresourceMaxLength));
    }
  }
}

const subresourceMaxLength = 256;
