// Validation of webhook configurations and admission policies (upstream: pkg/apis/admissionregistration/validation).
// Expressions are compiled by another part.
import {
  duplicateValue,
  type FieldError,
  invalidValue,
  notSupported,
  required,
} from "../meta/field-error.ts";
import type {
  MatchResources,
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  MutatingWebhook,
  MutatingWebhookConfiguration,
  Rule,
  ServiceReference,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
} from "../types/admissionregistration-v1.ts";
import { checkOptionalOneOf, checkRange, checkText } from "./checks.ts";
import { dns1123Subdomain } from "./names.ts";
import { validateLabelSelector } from "./selector-validation.ts";

const failurePolicies = ["Fail", "Ignore"];
const matchPolicies = ["Equivalent", "Exact"];
const scopes = ["*", "Cluster", "Namespaced"];
const operations = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];
const sideEffects = ["None", "NoneOnDryRun"];
const reviewVersions = ["v1", "v1beta1"];
const reinvocationPolicies = ["IfNeeded", "Never"];
const validationActions = ["Audit", "Deny", "Warn"];
const timeoutSeconds = { min: 1, max: 30 };

export function validateMutatingWebhooks(
  configuration: MutatingWebhookConfiguration,
  errors: FieldError[],
): void {
  validateWebhooks(configuration.webhooks ?? [], errors);
  for (const [i, { reinvocationPolicy }] of (configuration.webhooks ?? []).entries()) {
    const at = `webhooks[${i}].reinvocationPolicy`;
    errors.push(...checkOptionalOneOf(at, reinvocationPolicy, reinvocationPolicies));
  }
}

export function validateValidatingWebhooks(
  configuration: ValidatingWebhookConfiguration,
  errors: FieldError[],
): void {
  validateWebhooks(configuration.webhooks ?? [], errors);
}

export function validateValidatingPolicy(
  policy: ValidatingAdmissionPolicy,
  errors: FieldError[],
): void {
  const { spec } = policy;
  const { validations = [], auditAnnotations = [] } = spec ?? {};
  if (validations.length === 0 && auditAnnotations.length === 0) {
    const detail = "validations or auditAnnotations must be non-empty";
    errors.push(required("spec.validations", detail));
  }
  for (const [i, { expression }] of validations.entries()) {
    if (expression.trim() !== "") continue;
    errors.push(required(`spec.validations[${i}].expression`, "expression is not specified"));
  }
  validateMatchConstraints(spec?.matchConstraints, errors);
  errors.push(...checkOptionalOneOf("spec.failurePolicy", spec?.failurePolicy, failurePolicies));
}

export function validateMutatingPolicy(
  policy: MutatingAdmissionPolicy,
  errors: FieldError[],
): void {
  const { spec } = policy;
  if ((spec?.mutations ?? []).length === 0) {
    errors.push(required("spec.mutations", "mutations must contain at least one item"));
  }
  validateMatchConstraints(spec?.matchConstraints, errors);
  errors.push(...checkOptionalOneOf("spec.failurePolicy", spec?.failurePolicy, failurePolicies));
  const reinvocation = spec?.reinvocationPolicy;
  const path = "spec.reinvocationPolicy";
  errors.push(...checkOptionalOneOf(path, reinvocation, reinvocationPolicies));
}

export function validateValidatingPolicyBinding(
  binding: ValidatingAdmissionPolicyBinding,
  errors: FieldError[],
): void {
  errors.push(...checkText("spec.policyName", binding.spec?.policyName, dns1123Subdomain));
  const actions = binding.spec?.validationActions ?? [];
  if (actions.length === 0) errors.push(required("spec.validationActions"));
  for (const [i, action] of actions.entries()) {
    const at = `spec.validationActions[${i}]`;
    errors.push(...checkOptionalOneOf(at, action, validationActions));
    if (actions.indexOf(action) < i) errors.push(duplicateValue(at, action));
  }
  if (actions.includes("Deny") && actions.includes("Warn")) {
    const detail =
      "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)";
    errors.push(invalidValue("spec.validationActions", actions, detail));
  }
  validateMatch(binding.spec?.matchResources, "spec.matchResouces", errors);
}

export function validateMutatingPolicyBinding(
  binding: MutatingAdmissionPolicyBinding,
  errors: FieldError[],
): void {
  errors.push(...checkText("spec.policyName", binding.spec?.policyName, dns1123Subdomain));
  validateMatch(binding.spec?.matchResources, "spec.matchResouces", errors);
}

type Webhook = MutatingWebhook | ValidatingWebhook;

function validateWebhooks(webhooks: readonly Webhook[], errors: FieldError[]): void {
  const names = new Set<string>();
  for (const [i, webhook] of webhooks.entries()) {
    const path = `webhooks[${i}]`;
    validateWebhook(webhook, path, errors);
    if (names.has(webhook.name)) errors.push(duplicateValue(`${path}.name`, webhook.name));
    names.add(webhook.name);
    const versions = webhook.admissionReviewVersions ?? [];
    const at = `${path}.admissionReviewVersions`;
    if (versions.length === 0) {
      errors.push(required(at, `must specify one of ${reviewVersions.join(", ")}`));
    } else if (!versions.some((version) => reviewVersions.includes(version))) {
      const detail = `must include at least one of ${reviewVersions.join(", ")}`;
      errors.push(invalidValue(at, versions, detail));
    }
  }
}

function validateWebhook(webhook: Webhook, path: string, errors: FieldError[]): void {
  checkQualifiedDomain(webhook.name, `${path}.name`, errors);
  for (const [i, rule] of (webhook.rules ?? []).entries()) {
    validateRule(rule, rule.operations ?? [], { path: `${path}.rules[${i}]`, errors });
  }
  errors.push(
    ...checkOptionalOneOf(`${path}.failurePolicy`, webhook.failurePolicy, failurePolicies),
  );
  errors.push(...checkOptionalOneOf(`${path}.matchPolicy`, webhook.matchPolicy, matchPolicies));
  const effects = webhook.sideEffects;
  const effectsPath = `${path}.sideEffects`;
  if (effects === undefined) {
    errors.push(required(effectsPath, `must specify one of ${sideEffects.join(", ")}`));
  } else if (!sideEffects.includes(effects)) {
    errors.push(notSupported(effectsPath, effects, sideEffects));
  }
  const seconds = webhook.timeoutSeconds;
  if (seconds !== undefined && (seconds > timeoutSeconds.max || seconds < timeoutSeconds.min)) {
    const detail = `the timeout value must be between ${timeoutSeconds.min} and ${timeoutSeconds.max} seconds`;
    errors.push(invalidValue(`${path}.timeoutSeconds`, seconds, detail));
  }
  validateLabelSelector(webhook.namespaceSelector, `${path}.namespaceSelector`, errors);
  validateLabelSelector(webhook.objectSelector, `${path}.objectSelector`, errors);
  const { url, service } = webhook.clientConfig;
  const configPath = `${path}.clientConfig`;
  if ((url === undefined) === (service === undefined)) {
    errors.push(required(configPath, "exactly one of url or service is required"));
  } else if (service) checkService(service, `${configPath}.service`, errors);
  else if (url !== undefined) checkUrl(url, `${configPath}.url`, errors);
}

function checkQualifiedDomain(name: string, path: string, errors: FieldError[]): void {
  if (name === "") {
    errors.push(required(path));
    return;
  }
  const complaints = dns1123Subdomain(name);
  if (complaints.length > 0) errors.push(invalidValue(path, name, complaints.join(",")));
  else if (name.split(".").length < 3) {
    const detail = "should be a domain with at least three segments separated by dots";
    errors.push(invalidValue(path, name, detail));
  }
}

function checkService(service: ServiceReference, path: string, errors: FieldError[]): void {
  if ((service.name ?? "") === "") {
    errors.push(required(`${path}.name`, "service name is required"));
  }
  if ((service.namespace ?? "") === "") {
    errors.push(required(`${path}.namespace`, "service namespace is required"));
  }
  errors.push(...checkRange(`${path}.port`, service.port, [1, 65_535]));
}

function checkUrl(url: string, path: string, errors: FieldError[]): void {
  if (url.startsWith("https://") && url.length > "https://".length) return;
  const form = "desired format: https://host[/path]";
  const scheme = /^[a-z][a-z0-9+.-]*(?=:)/i.exec(url)?.[0] ?? "";
  if (scheme !== "https") {
    const detail = `'https' is the only allowed URL scheme; ${form}`;
    errors.push(invalidValue(path, scheme, detail));
  } else {
    errors.push(invalidValue(path, "", `host must be specified; ${form}`));
  }
}

function validateMatchConstraints(match: MatchResources | undefined, errors: FieldError[]): void {
  const path = "spec.matchConstraints";
  if (!match) {
    errors.push(required(path));
    return;
  }
  validateMatch(match, path, errors);
  if ((match.resourceRules ?? []).length === 0) errors.push(required(`${path}.resourceRules`));
}

function validateMatch(
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

function validateRule(
  rule: Rule,
  given: readonly string[],
  { path, errors }: { path: string; errors: FieldError[] },
): void {
  if (given.length === 0) errors.push(required(`${path}.operations`));
  for (const [i, operation] of given.entries()) {
    errors.push(...checkOptionalOneOf(`${path}.operations[${i}]`, operation, operations));
  }
  for (const key of ["apiGroups", "apiVersions", "resources"] as const) {
    const list = rule[key] ?? [];
    if (list.length === 0) errors.push(required(`${path}.${key}`));
    if (key !== "resources" && list.length > 1 && list.includes("*")) {
      const detail = `if '*' is present, must not specify other ${key === "apiGroups" ? "API groups" : "API versions"}`;
      errors.push(invalidValue(`${path}.${key}`, list, detail));
    }
  }
  errors.push(...checkOptionalOneOf(`${path}.scope`, rule.scope, scopes));
}
