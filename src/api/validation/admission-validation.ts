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
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  Mutation,
  MutatingWebhook,
  MutatingWebhookConfiguration,
  ServiceReference,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
} from "../types/admissionregistration-v1.ts";
import {
  checkMutatingOperations,
  matchPolicies,
  validateMatch,
  validateMatchConstraints,
  validateRule,
} from "./admission-rule-validation.ts";
import { checkOneOf, checkOptionalOneOf, checkText, invalidEach } from "./checks.ts";
import { dns1035Label, dns1123Subdomain, portNumber } from "./names.ts";
import { validateLabelSelector } from "./selector-validation.ts";

const failurePolicies = ["Fail", "Ignore"];
const patchFields = { ApplyConfiguration: "applyConfiguration", JSONPatch: "jsonPatch" } as const;
/** Scheme, authority, query and fragment. */
const urlPattern =
  /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/([^/?#]*))?[^?#]*(?:\?([^#]*))?(?:#(.*))?$/s;
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
  errors.push(...checkOptionalOneOf("spec.failurePolicy", spec?.failurePolicy, failurePolicies));
  validateMatchConstraints(spec?.matchConstraints, errors);
  if (validations.length === 0 && auditAnnotations.length === 0) {
    const detail = "validations or auditAnnotations must contain at least one item";
    errors.push(required("spec.validations", detail), required("spec.auditAnnotations", detail));
  }
  for (const [i, { expression }] of validations.entries()) {
    if (expression.trim() !== "") continue;
    errors.push(required(`spec.validations[${i}].expression`, "expression is not specified"));
  }
}

export function validateMutatingPolicy(
  policy: MutatingAdmissionPolicy,
  errors: FieldError[],
): void {
  const { spec } = policy;
  errors.push(...checkOptionalOneOf("spec.failurePolicy", spec?.failurePolicy, failurePolicies));
  validateMatchConstraints(spec?.matchConstraints, errors);
  checkMutatingOperations(spec?.matchConstraints, "spec.matchConstraints", errors);
  const mutations = spec?.mutations ?? [];
  if (mutations.length === 0) {
    errors.push(required("spec.mutations", "mutations must contain at least one item"));
  }
  for (const [i, mutation] of mutations.entries()) {
    validateMutation(mutation, `spec.mutations[${i}]`, errors);
  }
  const path = "spec.reinvocationPolicy";
  errors.push(...checkOneOf(path, spec?.reinvocationPolicy, reinvocationPolicies));
}

/** Each type of patch has its own field, which must be there, and must not have the other's. */
function validateMutation(mutation: Mutation, path: string, errors: FieldError[]): void {
  const { patchType } = mutation;
  const wrong = checkOneOf(`${path}.patchType`, patchType, Object.keys(patchFields));
  errors.push(...wrong);
  if (wrong.length > 0) return;
  for (const [type, key] of Object.entries(patchFields)) {
    const at = `${path}.${key}`;
    const patch = mutation[key];
    if (type !== patchType) {
      if (!patch) continue;
      const detail = `must not be specified when patchType is ${patchType}`;
      errors.push(invalidValue(at, `{${key}}`, detail));
    } else if (!patch) {
      errors.push(required(at, `must be specified when patchType is ${patchType}`));
    } else if ((patch.expression ?? "").trim() === "") errors.push(required(`${at}.expression`));
  }
}

export function validateValidatingPolicyBinding(
  binding: ValidatingAdmissionPolicyBinding,
  errors: FieldError[],
): void {
  errors.push(...checkText("spec.policyName", binding.spec?.policyName, dns1123Subdomain));
  validateMatch(binding.spec?.matchResources, "spec.matchResources", errors);
  const actions = binding.spec?.validationActions ?? [];
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
  if (actions.length === 0) {
    errors.push(required("spec.validationActions", "at least one validation action is required"));
  }
}

export function validateMutatingPolicyBinding(
  binding: MutatingAdmissionPolicyBinding,
  errors: FieldError[],
): void {
  errors.push(...checkText("spec.policyName", binding.spec?.policyName, dns1123Subdomain));
  validateMatch(binding.spec?.matchResources, "spec.matchResources", errors);
  checkMutatingOperations(binding.spec?.matchResources, "spec.matchResources", errors);
}

type Webhook = MutatingWebhook | ValidatingWebhook;

function validateWebhooks(webhooks: readonly Webhook[], errors: FieldError[]): void {
  const names = new Set<string>();
  for (const [i, webhook] of webhooks.entries()) {
    const path = `webhooks[${i}]`;
    validateWebhook(webhook, path, errors);
    const versions = webhook.admissionReviewVersions ?? [];
    validateReviewVersions(versions, `${path}.admissionReviewVersions`, errors);
    if (names.has(webhook.name)) errors.push(duplicateValue(`${path}.name`, webhook.name));
    names.add(webhook.name);
  }
}

function validateReviewVersions(
  versions: readonly string[],
  path: string,
  errors: FieldError[],
): void {
  if (versions.length === 0) {
    errors.push(required(path, `must specify one of ${reviewVersions.join(", ")}`));
    return;
  }
  for (const [i, version] of versions.entries()) {
    const at = `${path}[${i}]`;
    if (versions.indexOf(version) < i) errors.push(invalidValue(at, version, "duplicate version"));
    else errors.push(...invalidEach(at, version, dns1035Label(version)));
  }
  if (versions.some((version) => reviewVersions.includes(version))) return;
  const detail = `must include at least one of ${reviewVersions.join(", ")}`;
  errors.push(invalidValue(path, versions, detail));
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
  // Upstream takes the two for each other, so each is asked for under the other's name.
  if ((service.namespace ?? "") === "") errors.push(required(`${path}.name`));
  if ((service.name ?? "") === "") errors.push(required(`${path}.namespace`));
  const { port = 443 } = service;
  const complaints = portNumber(port);
  if (complaints.length > 0) {
    const detail = `port is not valid: ${complaints.join(", ")}`;
    errors.push(invalidValue(`${path}.port`, port, detail));
  }
  checkServicePath(service.path ?? "", `${path}.path`, errors);
}

/** Steps between slashes, each a subdomain; one slash at the end is free. */
function checkServicePath(path: string, field: string, errors: FieldError[]): void {
  if (path === "" || path === "/") return;
  const complain = (detail: string): void => void errors.push(invalidValue(field, path, detail));
  if (path === "//") {
    complain("segment[0] may not be empty");
    return;
  }
  if (!path.startsWith("/")) complain("must start with a '/'");
  const steps = path.slice(1).replace(/\/$/, "").split("/");
  for (const [i, step] of steps.entries()) {
    if (step === "") complain(`segment[${i}] may not be empty`);
    else for (const complaint of dns1123Subdomain(step)) complain(`segment[${i}]: ${complaint}`);
  }
}

function checkUrl(url: string, path: string, errors: FieldError[]): void {
  const form = "desired format: https://host[/path]";
  const [, scheme = "", authority = "", query, fragment] = urlPattern.exec(url) ?? [];
  const at = authority.lastIndexOf("@");
  if (scheme.toLowerCase() !== "https") {
    const detail = `'https' is the only allowed URL scheme; ${form}`;
    errors.push(invalidValue(path, scheme, detail));
  }
  if (authority.slice(at + 1) === "") {
    errors.push(invalidValue(path, "", `host must be specified; ${form}`));
  }
  if (at !== -1) {
    const detail = "user information is not permitted in the URL";
    errors.push(invalidValue(path, authority.slice(0, at), detail));
  }
  if (fragment !== undefined && fragment !== "") {
    errors.push(invalidValue(path, fragment, "fragments are not permitted in the URL"));
  }
  if (query !== undefined && query !== "") {
    errors.push(invalidValue(path, query, "query parameters are not permitted in the URL"));
  }
}
