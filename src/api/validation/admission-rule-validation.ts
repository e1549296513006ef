// Validation of what webhooks and admission policies look at: rules, and objects by their labels (upstream:
// pkg/apis/admissionregistration/validation).
import { type FieldError, invalidValue, required } from "../meta/field-error.ts";
import type { MatchResources, Rule } from "../types/admissionregistration-v1.ts";
import { checkOptionalOneOf } from "./checks.ts";
import { validateLabelSelector } from "./selector-validation.ts";

export const matchPolicies: readonly string[] = ["Equivalent", "Exact"];
const scopes = ["*", "Cluster", "Namespaced"];
const operations = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];
const mutatingOperations = ["*", "CONNECT", "CREATE", "UPDATE"];

export function validateMatchConstraints(
  match: MatchResources | undefined,
  errors: FieldError[],
): void {
  const path = "spec.matchConstraints";
  if (!match) {
    errors.push(required(path));
    return;
  }
  validateMatch(match, path, errors);
  if ((match.resourceRules ?? []).length === 0) errors.push(required(`${path}.resourceRules`));
}

export function validateMatch(
  match: MatchResources | undefined,
  path: string,
  errors: FieldError[],
): void {
  if (!match) return;
  errors.push(...checkOptionalOneOf(`${path}.matchPolicy`, match.matchPolicy, matchPolicies));
  validateLabelSelector(match.namespaceSelector, `${path}.namespaceSelector`, errors);
  validateLabelSelector(match.objectSelector, `${path}.objectSelector`, errors);
  for (const key of ["resourceRules", "excludeResourceRules"] as const) {
    for (const [i, rule] of (match[key] ?? []).entries()) {
      validateRule(rule, rule.operations ?? [], { path: `${path}.${key}[${i}]`, errors });
    }
  }
}

export function validateRule(
  rule: Rule,
  given: readonly string[],
  { path, errors }: { path: string; errors: FieldError[] },
): void {
  if (given.length === 0) errors.push(required(`${path}.operations`));
  checkLoneStar(given, [`${path}.operations`, "operations"], errors);
  for (const [i, operation] of given.entries()) {
    errors.push(...checkOptionalOneOf(`${path}.operations[${i}]`, operation, operations));
  }
  for (const [key, what] of [
    ["apiGroups", "API groups"],
    ["apiVersions", "API versions"],
  ] as const) {
    const list = rule[key] ?? [];
    if (list.length === 0) errors.push(required(`${path}.${key}`));
    checkLoneStar(list, [`${path}.${key}`, what], errors);
    if (key === "apiVersions") errors.push(...missingTexts(list, `${path}.${key}`));
  }
  validateRuleResources(rule.resources ?? [], `${path}.resources`, errors);
  errors.push(...checkOptionalOneOf(`${path}.scope`, rule.scope, scopes));
}

const missingTexts = (list: readonly string[], path: string): FieldError[] =>
  list.flatMap((text, i) => (text === "" ? [required(`${path}[${i}]`)] : []));

/** `*` says everything, so nothing may stand beside it. */
function checkLoneStar(
  given: readonly string[],
  [path, what]: readonly [string, string],
  errors: FieldError[],
): void {
  if (given.length <= 1 || !given.includes("*")) return;
  errors.push(invalidValue(path, given, `if '*' is present, must not specify other ${what}`));
}

// A resource, a subresource of one, either with a star for all of the kind, or a lone star for all resources without
// their subresources.
function validateRuleResources(
  resources: readonly string[],
  path: string,
  errors: FieldError[],
): void {
  if (resources.length === 0) errors.push(required(path));
  const [wholeResources, wholeSubresources] = [new Set<string>(), new Set<string>()];
  // Only the last plain resource counts, as upstream has it.
  let hasPlainResource = false;
  for (const [i, text] of resources.entries()) {
    const at = `${path}[${i}]`;
    const slash = text.indexOf("/");
    if (text === "") errors.push(required(at));
    else if (slash === -1) hasPlainResource = text !== "*";
    else {
      const [resource, subresource] = [text.slice(0, slash), text.slice(slash + 1)];
      const wider: string[] = [];
      if (wholeResources.has(resource)) wider.push(`${resource}/*`);
      if (wholeSubresources.has(subresource)) wider.push(`*/${subresource}`);
      for (const one of wider) {
        const detail = `if '${one}' is present, must not specify ${text}`;
        errors.push(invalidValue(at, text, detail));
      }
      if (subresource === "*") wholeResources.add(resource);
      if (resource === "*") wholeSubresources.add(subresource);
    }
  }
  if (resources.length > 1 && resources.includes("*/*")) {
    const detail = "if '*/*' is present, must not specify other resources";
    errors.push(invalidValue(path, resources, detail));
  }
  if (resources.includes("*") && hasPlainResource) {
    const detail = "if '*' is present, must not specify other resources without subresources";
    errors.push(invalidValue(path, resources, detail));
  }
}

/** What is deleted cannot be changed. */
export function checkMutatingOperations(
  match: MatchResources | undefined,
  path: string,
  errors: FieldError[],
): void {
  for (const rule of match?.resourceRules ?? []) {
    for (const operation of rule.operations ?? []) {
      const at = `${path}.resourceRules.operations`;
      errors.push(...checkOptionalOneOf(at, operation, mutatingOperations));
    }
  }
}
