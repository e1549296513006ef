// Validation of what steers a pod to a node: affinity, tolerations, spread, gates (upstream:
// pkg/apis/core/validation/validation.go).
import {
  duplicateValue,
  type FieldError,
  invalidValue,
  notSupported,
  required,
} from "../meta/field-error.ts";
import type {
  Affinity,
  PodAffinityTerm,
  PodSchedulingGate,
  Taint,
  Toleration,
  TopologySpreadConstraint,
} from "../types/core-v1.ts";
import { invalidEach } from "./checks.ts";
import { dns1123Label, labelValueRule, qualifiedName } from "./names.ts";
import {
  validateLabelSelector,
  validateNodeSelector,
  validateNodeSelectorTerm,
} from "./selector-validation.ts";

const taintEffects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];
const spreadActions = ["DoNotSchedule", "ScheduleAnyway"];
const nodePolicies = ["Honor", "Ignore"];
const requiredTerms = "requiredDuringSchedulingIgnoredDuringExecution";
const preferredTerms = "preferredDuringSchedulingIgnoredDuringExecution";

export function validateAffinity(affinity: Affinity, path: string, errors: FieldError[]): void {
  const { nodeAffinity } = affinity;
  if (nodeAffinity?.[requiredTerms]) {
    const at = `${path}.nodeAffinity.${requiredTerms}`;
    validateNodeSelector(nodeAffinity[requiredTerms], at, errors);
  }
  for (const [i, term] of (nodeAffinity?.[preferredTerms] ?? []).entries()) {
    const at = `${path}.nodeAffinity.${preferredTerms}[${i}]`;
    checkWeight(`${at}.weight`, term.weight, errors);
    validateNodeSelectorTerm(term.preference, `${at}.preference`, errors);
  }
  for (const key of ["podAffinity", "podAntiAffinity"] as const) {
    for (const [i, term] of (affinity[key]?.[requiredTerms] ?? []).entries()) {
      validatePodAffinityTerm(term, `${path}.${key}.${requiredTerms}[${i}]`, errors);
    }
    for (const [i, term] of (affinity[key]?.[preferredTerms] ?? []).entries()) {
      const at = `${path}.${key}.${preferredTerms}[${i}]`;
      checkWeight(`${at}.weight`, term.weight, errors);
      validatePodAffinityTerm(term.podAffinityTerm, `${at}.podAffinityTerm`, errors);
    }
  }
}

export function validateTolerations(
  tolerations: readonly Toleration[],
  path: string,
  errors: FieldError[],
): void {
  for (const [i, toleration] of tolerations.entries()) {
    validateToleration(toleration, `${path}[${i}]`, errors);
  }
}

export function validateTaints(taints: readonly Taint[], path: string, errors: FieldError[]): void {
  const seen = new Set<string>();
  for (const [i, taint] of taints.entries()) {
    const at = `${path}[${i}]`;
    errors.push(...invalidEach(`${at}.key`, taint.key, qualifiedName(taint.key)));
    const complaints = labelValueRule(taint.value ?? "");
    if (complaints.length > 0) {
      errors.push(invalidValue(`${at}.value`, taint.value, complaints.join(";")));
    }
    if (taint.effect === "") errors.push(required(`${at}.effect`));
    else checkEffect(`${at}.effect`, taint.effect, errors);
    const pair = `${taint.effect}/${taint.key}`;
    if (seen.has(pair)) {
      const detail = "taints must be unique by key and effect pair";
      errors.push({ ...duplicateValue(at, taint), detail });
    }
    seen.add(pair);
  }
}

export function validateSchedulingGates(
  gates: readonly PodSchedulingGate[],
  path: string,
  errors: FieldError[],
): void {
  const seen = new Set<string>();
  for (const [i, { name }] of gates.entries()) {
    const at = `${path}[${i}]`;
    errors.push(...invalidEach(at, name, qualifiedName(name)));
    if (seen.has(name)) errors.push(duplicateValue(at, name));
    seen.add(name);
  }
}

export function validateSpreadConstraints(
  constraints: readonly TopologySpreadConstraint[],
  path: string,
  errors: FieldError[],
): void {
  const pairs = new Set<string>();
  for (const [i, constraint] of constraints.entries()) {
    const at = `${path}[${i}]`;
    const { maxSkew, topologyKey, whenUnsatisfiable, minDomains } = constraint;
    if (maxSkew <= 0) {
      errors.push(invalidValue(`${at}.maxSkew`, maxSkew, "must be greater than zero"));
    }
    if (topologyKey === "") errors.push(required(`${at}.topologyKey`, "can not be empty"));
    if (!spreadActions.includes(whenUnsatisfiable)) {
      errors.push(notSupported(`${at}.whenUnsatisfiable`, whenUnsatisfiable, spreadActions));
    }
    const pair = `{${topologyKey}, ${whenUnsatisfiable}}`;
    if (pairs.has(pair))
      errors.push(duplicateValue(`${at}.{topologyKey, whenUnsatisfiable}`, pair));
    pairs.add(pair);
    validateMinDomains(minDomains, whenUnsatisfiable, { path: `${at}.minDomains`, errors });
    for (const key of ["nodeAffinityPolicy", "nodeTaintsPolicy"] as const) {
      const policy = constraint[key];
      if (policy !== undefined && !nodePolicies.includes(policy)) {
        errors.push(notSupported(`${at}.${key}`, policy, nodePolicies));
      }
    }
    validateLabelSelector(constraint.labelSelector, `${at}.labelSelector`, errors);
  }
}

function validateMinDomains(
  minDomains: number | undefined,
  action: string,
  { path, errors }: { path: string; errors: FieldError[] },
): void {
  if (minDomains === undefined) return;
  if (minDomains <= 0) errors.push(invalidValue(path, minDomains, "must be greater than zero"));
  if (action !== "DoNotSchedule") {
    const detail = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`;
    errors.push(invalidValue(path, minDomains, detail));
  }
}

function validatePodAffinityTerm(term: PodAffinityTerm, path: string, errors: FieldError[]): void {
  validateLabelSelector(term.labelSelector, `${path}.labelSelector`, errors);
  validateLabelSelector(term.namespaceSelector, `${path}.namespaceSelector`, errors);
  for (const name of term.namespaces ?? []) {
    errors.push(...invalidEach(`${path}.namespace`, name, dns1123Label(name)));
  }
  const { topologyKey } = term;
  if (topologyKey === "") errors.push(required(`${path}.topologyKey`, "can not be empty"));
  errors.push(...invalidEach(`${path}.topologyKey`, topologyKey, qualifiedName(topologyKey)));
}

/** Upstream reports a bad value on the operator, and so do we. */
function validateToleration(toleration: Toleration, path: string, errors: FieldError[]): void {
  const { key = "", operator = "", value = "", effect = "" } = toleration;
  if (key !== "") errors.push(...invalidEach(`${path}.key`, key, qualifiedName(key)));
  if (key === "" && operator !== "Exists") {
    const detail =
      'operator must be Exists when `key` is empty, which means "match all values and all keys"';
    errors.push(invalidValue(`${path}.operator`, operator, detail));
  }
  if (toleration.tolerationSeconds !== undefined && effect !== "NoExecute") {
    const detail = "effect must be 'NoExecute' when `tolerationSeconds` is set";
    errors.push(invalidValue(`${path}.effect`, effect, detail));
  }
  if (operator === "Equal" || operator === "") {
    const complaints = labelValueRule(value);
    if (complaints.length > 0) {
      errors.push(invalidValue(`${path}.operator`, value, complaints.join(";")));
    }
  } else if (operator === "Exists") {
    if (value !== "") {
      const detail = "value must be empty when `operator` is 'Exists'";
      errors.push(invalidValue(`${path}.operator`, value, detail));
    }
  } else {
    errors.push(notSupported(`${path}.operator`, operator, ["Equal", "Exists"]));
  }
  if (effect !== "") checkEffect(`${path}.effect`, effect, errors);
}

function checkEffect(path: string, effect: string, errors: FieldError[]): void {
  if (!taintEffects.includes(effect)) errors.push(notSupported(path, effect, taintEffects));
}

function checkWeight(path: string, weight: number, errors: FieldError[]): void {
  if (weight >= 1 && weight <= 100) return;
  errors.push(invalidValue(path, weight, "must be in the range 1-100"));
}
