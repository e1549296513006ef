// How admission refuses (upstream: admission.NewForbidden): 403 on the object by the best name it has yet.
import type { AdmissionAttributes } from "../../api/admission-attributes.ts";
import { type StatusError, forbidden } from "../../api/meta/errors.ts";
import type { StatusCause } from "../../api/types/meta-v1.ts";

export function refuse(
  attributes: AdmissionAttributes,
  why: string,
  causes?: StatusCause[],
): StatusError {
  return forbidden(attributes.resource, nameOf(attributes), why, causes);
}

/** A name that is still to be generated shows as its prefix. */
function nameOf({ name, object }: AdmissionAttributes): string {
  if (name !== "") return name;
  const { name: own = "", generateName = "" } = object?.metadata ?? {};
  return own || generateName || "Unknown";
}
