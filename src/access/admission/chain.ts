// The admission chain as the registry calls it: all mutating steps in order, later all validating ones. A step is a
// function that looks at the attributes, returns at once for what is none of its business, and throws to refuse.
import type { Admission, AdmissionAttributes } from "../../api/admission-attributes.ts";

export type AdmissionStep = (attributes: AdmissionAttributes) => void | Promise<void>;

export function createAdmissionChain(
  mutating: readonly AdmissionStep[],
  validating: readonly AdmissionStep[],
): Admission {
  return {
    mutate: (attributes) => runAll(mutating, attributes),
    validate: (attributes) => runAll(validating, attributes),
  };
}

async function runAll(
  steps: readonly AdmissionStep[],
  attributes: AdmissionAttributes,
): Promise<void> {
  for (const step of steps) {
    const pending = step(attributes);
    if (pending !== undefined) await pending;
  }
}
