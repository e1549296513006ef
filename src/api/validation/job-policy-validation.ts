// Validation of a Job's policies: which pods count as failures, when it has succeeded, when pods are replaced (upstream:
// pkg/apis/batch/validation/validation.go).
import {
  duplicateValue,
  type FieldError,
  invalidValue,
  invalidWithoutValue,
  required,
  tooMany,
} from "../meta/field-error.ts";
import type {
  JobSpec,
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyRule,
} from "../types/batch-v1.ts";
import { atMost, checkNotNegative, checkOneOf, checkOptionalOneOf, invalidEach } from "./checks.ts";
import { qualifiedName } from "./names.ts";

const failureActions = ["Count", "FailIndex", "FailJob", "Ignore"];
const replacementPolicies = ["Failed", "TerminatingOrFailed"];
const conditionStatuses = ["False", "True", "Unknown"];
/** Of a policy; of the conditions of a rule, too. */
const rulesMax = 20;
const exitCodesMax = 255;

export function validateJobPolicies(spec: JobSpec, path: string, errors: FieldError[]): void {
  const rules = spec.podFailurePolicy?.rules ?? [];
  const rulesPath = `${path}.podFailurePolicy.rules`;
  if (rules.length > rulesMax) errors.push(tooMany(rulesPath, rules.length, rulesMax));
  for (const [i, rule] of rules.entries()) {
    validateFailureRule(rule, `${rulesPath}[${i}]`, { spec, errors });
  }
  if (spec.successPolicy && spec.completionMode !== "Indexed") {
    const detail = "requires indexed completion mode";
    errors.push(invalidValue(`${path}.successPolicy`, spec.successPolicy, detail));
  } else if (spec.successPolicy) {
    validateSuccessRules(spec, `${path}.successPolicy.rules`, errors);
  }
  const allowed = spec.podFailurePolicy ? ["Failed"] : replacementPolicies;
  const at = `${path}.podReplacementPolicy`;
  errors.push(...checkOptionalOneOf(at, spec.podReplacementPolicy, allowed));
}

function validateSuccessRules(spec: JobSpec, path: string, errors: FieldError[]): void {
  const rules = spec.successPolicy?.rules ?? [];
  if (rules.length === 0) {
    const detail = "at least one rules must be specified when the successPolicy is specified";
    errors.push(required(path, detail));
  }
  if (rules.length > rulesMax) errors.push(tooMany(path, rules.length, rulesMax));
  for (const [i, { succeededCount, succeededIndexes }] of rules.entries()) {
    const at = `${path}[${i}]`;
    if (succeededCount === undefined && succeededIndexes === undefined) {
      const detail = "at least one of succeededCount or succeededIndexes must be specified";
      errors.push(required(at, detail));
    }
    errors.push(...checkNotNegative(`${at}.succeededCount`, succeededCount));
    const completions = spec.completions ?? 0;
    if (succeededCount !== undefined && succeededCount > completions) {
      const detail = `${atMost(completions)} (the number of specified completions)`;
      errors.push(invalidValue(`${at}.succeededCount`, succeededCount, detail));
    }
  }
}

interface FailureScope {
  readonly spec: JobSpec;
  readonly errors: FieldError[];
}

function validateFailureRule(
  rule: PodFailurePolicyRule,
  path: string,
  { spec, errors }: FailureScope,
): void {
  errors.push(...checkListed(`${path}.action`, rule.action, failureActions));
  if (rule.action === "FailIndex" && spec.backoffLimitPerIndex === undefined) {
    const detail = "requires the backoffLimitPerIndex to be set";
    errors.push(invalidValue(`${path}.action`, rule.action, detail));
  }
  const { onExitCodes, onPodConditions = [] } = rule;
  if (onExitCodes) validateExitCodes(onExitCodes, `${path}.onExitCodes`, { spec, errors });
  if (onPodConditions.length > rulesMax) {
    errors.push(tooMany(`${path}.onPodConditions`, onPodConditions.length, rulesMax));
  }
  for (const [i, { type, status }] of onPodConditions.entries()) {
    const at = `${path}.onPodConditions[${i}]`;
    errors.push(...invalidEach(`${at}.type`, type, qualifiedName(type)));
    errors.push(...checkListed(`${at}.status`, status, conditionStatuses));
  }
  if (onExitCodes && onPodConditions.length > 0) {
    const detail = "specifying both OnExitCodes and OnPodConditions is not supported";
    errors.push(invalidWithoutValue(path, detail));
  }
  if (!onExitCodes && onPodConditions.length === 0) {
    const detail = "specifying one of OnExitCodes and OnPodConditions is required";
    errors.push(invalidWithoutValue(path, detail));
  }
}

function validateExitCodes(
  { containerName, operator, ...codes }: PodFailurePolicyOnExitCodesRequirement,
  path: string,
  { spec, errors }: FailureScope,
): void {
  // The decoder leaves null for a required list that is empty.
  const values = codes.values ?? [];
  errors.push(...checkListed(`${path}.operator`, operator, ["In", "NotIn"]));
  const { containers = [], initContainers = [] } = spec.template?.spec ?? {};
  const isKnown = [...(containers ?? []), ...initContainers].some(
    ({ name }) => name === containerName,
  );
  if (containerName !== undefined && !isKnown) {
    const detail = "must be one of the container or initContainer names in the pod template";
    errors.push(invalidValue(`${path}.containerName`, containerName, detail));
  }
  if (values.length === 0) {
    errors.push(invalidValue(`${path}.values`, values, "at least one value is required"));
  }
  if (values.length > exitCodesMax) {
    errors.push(tooMany(`${path}.values`, values.length, exitCodesMax));
  }
  const seen = new Set<number>();
  for (const [i, value] of values.entries()) {
    const at = `${path}.values[${i}]`;
    if (value === 0 && operator === "In") {
      errors.push(invalidValue(at, value, "must not be 0 for the In operator"));
    }
    if (seen.has(value)) errors.push(duplicateValue(at, value));
    seen.add(value);
  }
  if (values.some((value, i) => i > 0 && values[i - 1]! > value)) {
    errors.push(invalidValue(`${path}.values`, values, "must be ordered"));
  }
}

/** Required, and one of `allowed`, which are named also when nothing is there. */
function checkListed(
  path: string,
  text: string | undefined,
  allowed: readonly string[],
): readonly FieldError[] {
  if (text !== undefined && text !== "") return checkOneOf(path, text, allowed);
  const list = allowed.map((word) => JSON.stringify(word)).join(" ");
  return [required(path, `valid values: [${list}]`)];
}
