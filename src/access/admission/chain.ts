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

function runAll(
  steps: readonly AdmissionStep[],
  attributes: AdmissionAttributes,
): void | Promise<void> {
  for (let at = 0; at < steps.length; at++) {
    const pending = steps[at]!(attributes);
    if (pending !== undefined) return runOn(pending, steps.slice(at + 1), attributes);
  }
}

async function runOn(
  pending: Promise<void>,
  others: readonly AdmissionStep[],
  attributes: AdmissionAttributes,
): Promise<void> {
  await pending;
  await runAll(others, attributes);
}
