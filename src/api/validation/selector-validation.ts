// Validation of selectors: of labels, of nodes, and whether a workload's selector selects its own template (upstream:
// apimachinery/pkg/apis/meta/v1/validation, pkg/apis/core/validation).
import { type FieldError, forbiddenField, invalidValue, required } from "../meta/field-error.ts";
import type { NodeSelector, NodeSelectorTerm } from "../types/core-v1.ts";
import type { LabelSelector, LabelSelectorRequirement } from "../types/meta-v1.ts";
import { invalidEach } from "./checks.ts";
import { validateLabels } from "./metadata.ts";
import { dns1123Subdomain, labelValueRule, qualifiedName } from "./names.ts";
import { getKey } from "../../std/json.ts";

const notAnOperator = "not a valid selector operator";
const valuesNeeded = "must be specified when `operator` is 'In' or 'NotIn'";
const valuesForbidden = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";

export function validateLabelSelector(
  selector: LabelSelector | undefined,
  path: string,
  errors: FieldError[],
): void {
  if (!selector) return;
  validateLabels(selector.matchLabels, `${path}.matchLabels`, errors);
  for (const [i, requirement] of (selector.matchExpressions ?? []).entries()) {
    validateRequirement(requirement, `${path}.matchExpressions[${i}]`, errors);
  }
}

export function isEmptySelector(selector: LabelSelector | undefined): boolean {
  if (!selector) return true;
  const expressions = selector.matchExpressions ?? [];
  return expressions.length === 0 && Object.keys(selector.matchLabels ?? {}).length === 0;
}

/** Whether a valid selector selects these labels. An operator that is none matches nothing. */
export function selectsLabels(
  selector: LabelSelector,
  labels: Readonly<Record<string, string>>,
): boolean {
  for (const key in selector.matchLabels) {
    if (getKey(labels, key) !== selector.matchLabels[key]) return false;
  }
  return (selector.matchExpressions ?? []).every((requirement) => {
    const value = getKey(labels, requirement.key);
    const values = requirement.values ?? [];
    switch (requirement.operator) {
      case "In":
        return value !== undefined && values.includes(value);
      case "NotIn":
        return value === undefined || !values.includes(value);
      case "Exists":
        return value !== undefined;
      case "DoesNotExist":
        return value === undefined;
      default:
        return false;
    }
  });
}

/**
 * What a workload's selector says of its own template's labels. None selects nothing, an empty one everything; one that
 * is malformed says nothing.
 */
export function judgeSelector(
  selector: LabelSelector | undefined,
  labels: Readonly<Record<string, string>> | undefined,
): "malformed" | "selects" | "misses" {
  if (!selector) return "misses";
  const complaints: FieldError[] = [];
  validateLabelSelector(selector, "", complaints);
  if (complaints.length > 0) return "malformed";
  return selectsLabels(selector, labels ?? {}) ? "selects" : "misses";
}

/** `labels` stand at `path`. */
export function selectorMisses(
  path: string,
  labels: Readonly<Record<string, string>> | undefined,
): FieldError {
  return invalidValue(path, labels ?? null, "`selector` does not match template `labels`");
}

export function validateNodeSelector(
  selector: NodeSelector,
  path: string,
  errors: FieldError[],
): void {
  const terms = selector.nodeSelectorTerms ?? [];
  if (terms.length === 0) {
    const detail = "must have at least one node selector term";
    errors.push(required(`${path}.nodeSelectorTerms`, detail));
  }
  for (const [i, term] of terms.entries()) {
    validateNodeSelectorTerm(term, `${path}.nodeSelectorTerms[${i}]`, errors);
  }
}

export function validateNodeSelectorTerm(
  term: NodeSelectorTerm,
  path: string,
  errors: FieldError[],
): void {
  for (const [i, requirement] of (term.matchExpressions ?? []).entries()) {
    const at = `${path}.matchExpressions[${i}]`;
    const values = requirement.values ?? [];
    if (requirement.operator === "Gt" || requirement.operator === "Lt") {
      if (values.length !== 1) {
        const detail = "must be specified single value when `operator` is 'Lt' or 'Gt'";
        errors.push(required(`${at}.values`, detail));
      }
      errors.push(...invalidEach(`${at}.key`, requirement.key, qualifiedName(requirement.key)));
      checkValues(values, at, errors);
    } else {
      validateRequirement(requirement, at, errors);
    }
  }
  for (const [i, requirement] of (term.matchFields ?? []).entries()) {
    const at = `${path}.matchFields[${i}]`;
    const values = requirement.values ?? [];
    if (requirement.operator !== "In" && requirement.operator !== "NotIn") {
      errors.push(invalidValue(`${at}.operator`, requirement.operator, notAnOperator));
    } else if (values.length !== 1) {
      const detail =
        "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
      errors.push(required(`${at}.values`, detail));
    }
    if (requirement.key !== "metadata.name") {
      errors.push(invalidValue(`${at}.key`, requirement.key, "not a valid field selector key"));
      continue;
    }
    for (const [j, value] of values.entries()) {
      errors.push(...invalidEach(`${at}.values[${j}]`, value, dns1123Subdomain(value)));
    }
  }
}

function validateRequirement(
  requirement: LabelSelectorRequirement,
  path: string,
  errors: FieldError[],
): void {
  const values = requirement.values ?? [];
  switch (requirement.operator) {
    case "In":
    case "NotIn":
      if (values.length === 0) errors.push(required(`${path}.values`, valuesNeeded));
      break;
    case "Exists":
    case "DoesNotExist":
      if (values.length > 0) errors.push(forbiddenField(`${path}.values`, valuesForbidden));
      break;
    default:
      errors.push(invalidValue(`${path}.operator`, requirement.operator, notAnOperator));
  }
  errors.push(...invalidEach(`${path}.key`, requirement.key, qualifiedName(requirement.key)));
  checkValues(values, path, errors);
}

function checkValues(values: readonly string[], path: string, errors: FieldError[]): void {
  for (const [i, value] of values.entries()) {
    errors.push(...invalidEach(`${path}.values[${i}]`, value, labelValueRule(value)));
  }
}
