// The checks that refuse a write because the object is not the one its author thinks of.
import {
  conflict,
  type GroupResource,
  invalid,
  staleObject,
  type StatusError,
} from "../../api/meta/errors.ts";
import { invalidValue } from "../../api/meta/field-error.ts";
import type { KubeObject } from "../../api/object.ts";
import type { ObjectMeta, Preconditions } from "../../api/types/meta-v1.ts";
import { parseResourceVersion } from "./list-options.ts";

/** A PUT whose body carries another uid than the object; the text is the storage layer's, key included. */
export function uidConflict(
  target: GroupResource,
  name: string,
  uids: { readonly storeKey: string; readonly asked: string; readonly found: string },
): StatusError {
  return conflict(
    target,
    name,
    `StorageError: invalid object, Code: 4, Key: ${uids.storeKey}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${uids.asked}, UID in object meta: ${uids.found}`,
  );
}

/**
 * The resourceVersion that an update brings along: none is a wish to overwrite, which not every kind grants. Throws
 * Invalid or Conflict.
 */
export function checkResourceVersion(
  target: GroupResource,
  object: KubeObject,
  current: { readonly revision: number; readonly unconditionalUpdate: boolean },
): void {
  const name = object.metadata.name ?? "";
  const asked = parseResourceVersion(object.metadata.resourceVersion ?? "") ?? 0;
  if (asked === 0) {
    if (current.unconditionalUpdate) return;
    const detail = "must be specified for an update";
    // Upstream names the resource where a kind belongs.
    throw invalid({ group: target.group, kind: target.resource }, name, [
      invalidValue("metadata.resourceVersion", 0, detail),
    ]);
  }
  if (asked !== current.revision) throw conflict(target, name, staleObject);
}

/** DeleteOptions.preconditions. `target.resource` holds the kind, as upstream prints it here. Throws Conflict. */
export function checkDeletePreconditions(
  target: GroupResource,
  metadata: Readonly<ObjectMeta>,
  preconditions: Preconditions | undefined,
): void {
  const { name = "", uid = "", resourceVersion = "" } = metadata;
  if (preconditions?.uid !== undefined && preconditions.uid !== uid) {
    throw conflict(
      target,
      name,
      `the UID in the precondition (${preconditions.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
    );
  }
  const asked = preconditions?.resourceVersion;
  if (asked !== undefined && asked !== resourceVersion) {
    throw conflict(
      target,
      name,
      `the ResourceVersion in the precondition (${asked}) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`,
    );
  }
}
