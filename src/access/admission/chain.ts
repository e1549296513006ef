// The admission chain as the registry calls it: all mutating steps in order, later all validating ones. A step is a
// function that looks at the attributes, returns at once for what is none of its business, and throws to refuse.
import type { Admission, AdmissionAttributes } from "../../api/admission-attributes.ts";

export type AdmissionStep = (attributes: AdmissionAttributes) => void | Promise<void>;

/** A step that takes time, kept from those it does not concern: most requests pass all steps without waiting once. */
export function onlyFor(
  concerns: (attributes: AdmissionAttributes) => boolean,
  step: AdmissionStep,
): AdmissionStep {
  return (attributes) => (concerns(attributes) ? step(attributes) : undefined);
}

export function createAdmissionChain(
  mutating: readonly AdmissionStep[],
  validating: readonly AdmissionStep[],
): Admission {
  return {
    mutate: (attributes) => runFrom(0, mutating, attributes),
    validate: (attributes) => runFrom(0, validating, attributes),
  };
}

function runFrom(
  first: number,
  steps: readonly AdmissionStep[],
  attributes: AdmissionAttributes,
): void | Promise<void> {
  for (let at = first; at < steps.length; at++) {
    const pending = steps[at]!(attributes);
    if (pending !== undefined) return pending.then(() => runFrom(at + 1, steps, attributes));
  }
}
