// Validation of FlowSchema and PriorityLevelConfiguration (upstream: pkg/apis/flowcontrol/validation/validation.go).
import { flowSchemas, isMandatory, priorityLevels } from "../flow-control-objects.ts";
import {
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from "../meta/field-error.ts";
import { equalJson } from "../../std/json.ts";
import type { KubeObject } from "../object.ts";
import type {
  FlowSchema,
  LimitResponse,
  PolicyRulesWithSubjects,
  PriorityLevelConfiguration,
  QueuingConfiguration,
  ResourcePolicyRule,
  ServiceAccountSubject,
  Subject,
} from "../types/flowcontrol-v1.ts";
import { checkRange, checkText, invalidEach } from "./checks.ts";
import { dns1123Label, dns1123Subdomain } from "./names.ts";

const exempt = "exempt";
const precedenceMax = 10_000;
const queuesMax = 10_000_000;
/** Random bits of a flow's hash that its hand of queues may use. */
const entropyBitsMax = 60;
/** What the mandatory objects say is the same in every minor. */
const fixedSince = 36;
const verbsNeeded = "verbs must contain at least one value";
const distinguishers = ["ByNamespace", "ByUser"];
const namespaceRule = "each member of this list must be '*' or a DNS-1123 label; ";
const verbs: readonly string[] = [
  "create",
  "delete",
  "deletecollection",
  "get",
  "list",
  "patch",
  "proxy",
  "update",
  "watch",
];

export function validateFlowSchema(flowSchema: FlowSchema, errors: FieldError[]): void {
  const { spec } = flowSchema;
  const precedence = spec?.matchingPrecedence ?? 0;
  const path = "spec.matchingPrecedence";
  if (precedence <= 0) errors.push(invalidValue(path, precedence, "must be a positive value"));
  if (precedence > precedenceMax) {
    const detail = `must not be greater than ${precedenceMax}`;
    errors.push(invalidValue(path, precedence, detail));
  }
  if (precedence === 1 && flowSchema.metadata.name !== exempt) {
    const detail = "only the schema named 'exempt' may have matchingPrecedence 1";
    errors.push(invalidValue(path, precedence, detail));
  }
  const method = spec?.distinguisherMethod?.type;
  if (method !== undefined && !distinguishers.includes(method)) {
    // Upstream shows the whole method where its type is meant.
    const at = "spec.distinguisherMethod.type";
    errors.push(notSupported(at, { Type: method }, distinguishers));
  }
  const level = spec?.priorityLevelConfiguration?.name ?? "";
  const levelPath = "spec.priorityLevelConfiguration.name";
  if (level === "") errors.push(required(levelPath, "must reference a priority level"));
  else errors.push(...invalidEach(levelPath, level, dns1123Subdomain(level)));
  for (const [i, rules] of (spec?.rules ?? []).entries()) {
    validateRules(rules, `spec.rules[${i}]`, errors);
  }
  checkFixed(flowSchema, mandatorySchemas, errors);
}

/** Of the exempt level only shares may change, and its type holds everything else. */
function checkFixed(
  { metadata: { name = "" }, spec }: FlowSchema | PriorityLevelConfiguration,
  mandatory: readonly KubeObject[],
  errors: FieldError[],
): void {
  const fixed = mandatory.find(({ metadata }) => metadata.name === name);
  if (fixed === undefined || equalJson(spec, fixed["spec"])) return;
  errors.push(invalidValue("spec", spec, `spec of '${name}' must equal the fixed value`));
}

const mandatorySchemas = flowSchemas("", fixedSince).filter(({ metadata }) =>
  isMandatory(metadata.name ?? ""),
);
const mandatoryLevels = priorityLevels(fixedSince).filter(
  ({ metadata }) => metadata.name === "catch-all",
);

export function validatePriorityLevel(
  level: PriorityLevelConfiguration,
  errors: FieldError[],
): void {
  const { type = "", limited, exempt: exemption } = level.spec ?? {};
  if ((level.metadata.name === exempt) !== (type === "Exempt")) {
    const detail = "must be 'Exempt' if and only if `name` is 'exempt'";
    errors.push(invalidValue("spec.type", type, detail));
  }
  if (type === "Exempt") {
    if (limited) {
      errors.push(forbiddenField("spec.limited", "must be nil if the type is not Limited"));
    }
    checkShares(exemption, "spec.exempt", errors);
  } else if (type === "Limited") {
    if (exemption) {
      errors.push(forbiddenField("spec.exempt", "must be nil if the type is Limited"));
    }
    if (!limited) {
      errors.push(required("spec.limited", "must not be empty when type is Limited"));
      return;
    }
    checkShares(limited, "spec.limited", errors);
    validateLimitResponse(limited.limitResponse, "spec.limited.limitResponse", errors);
    const borrowing = limited.borrowingLimitPercent;
    if (borrowing !== undefined && borrowing < 0) {
      const detail = "if specified, must be a non-negative integer";
      errors.push(invalidValue("spec.limited.borrowingLimitPercent", borrowing, detail));
    }
  } else {
    errors.push(notSupported("spec.type", type, ["Exempt", "Limited"]));
  }
  checkFixed(level, mandatoryLevels, errors);
}

function checkShares(
  level: { nominalConcurrencyShares?: number; lendablePercent?: number } | undefined,
  path: string,
  errors: FieldError[],
): void {
  const shares = level?.nominalConcurrencyShares;
  if (shares !== undefined && shares < 0) {
    const detail = "must be a non-negative integer";
    errors.push(invalidValue(`${path}.nominalConcurrencyShares`, shares, detail));
  }
  errors.push(...checkRange(`${path}.lendablePercent`, level?.lendablePercent, [0, 100]));
}

function validateLimitResponse(
  response: LimitResponse | undefined,
  path: string,
  errors: FieldError[],
): void {
  const type = response?.type ?? "";
  const queuing = response?.queuing;
  if (type === "Reject") {
    if (!queuing) return;
    const detail = "must be nil if limited.limitResponse.type is not Limited";
    errors.push(forbiddenField(`${path}.queuing`, detail));
  } else if (type === "Queue") {
    if (queuing) validateQueuing(queuing, `${path}.queuing`, errors);
    else {
      const detail = "must not be empty if limited.limitResponse.type is Limited";
      errors.push(required(`${path}.queuing`, detail));
    }
  } else {
    errors.push(notSupported(`${path}.type`, type, ["Queue", "Reject"]));
  }
}

function validateQueuing(queuing: QueuingConfiguration, path: string, errors: FieldError[]): void {
  const { queues, handSize, queueLengthLimit } = queuing;
  if (queueLengthLimit <= 0) {
    errors.push(invalidValue(`${path}.queueLengthLimit`, queueLengthLimit, "must be positive"));
  }
  if (queues <= 0) errors.push(invalidValue(`${path}.queues`, queues, "must be positive"));
  else if (queues > queuesMax) {
    const detail = `must not be greater than ${queuesMax}`;
    errors.push(invalidValue(`${path}.queues`, queues, detail));
  }
  if (handSize <= 0) errors.push(invalidValue(`${path}.handSize`, handSize, "must be positive"));
  else if (handSize > queues) {
    const detail = `should not be greater than queues (${queues})`;
    errors.push(invalidValue(`${path}.handSize`, handSize, detail));
  } else if (Math.ceil(Math.log2(queues) * handSize) > entropyBitsMax) {
    const detail = `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than ${entropyBitsMax}`;
    errors.push(invalidValue(`${path}.handSize`, handSize, detail));
  }
}

function validateRules(rules: PolicyRulesWithSubjects, path: string, errors: FieldError[]): void {
  const subjects = rules.subjects ?? [];
  if (subjects.length === 0) {
    errors.push(required(`${path}.subjects`, "subjects must contain at least one value"));
  }
  for (const [i, subject] of subjects.entries()) {
    validateSubject(subject, `${path}.subjects[${i}]`, errors);
  }
  const resourceRules = rules.resourceRules ?? [];
  const nonResourceRules = rules.nonResourceRules ?? [];
  if (resourceRules.length === 0 && nonResourceRules.length === 0) {
    const detail = "at least one of resourceRules and nonResourceRules has to be non-empty";
    errors.push(required(path, detail));
  }
  for (const [i, rule] of resourceRules.entries()) {
    validateResourceRule(rule, `${path}.resourceRules[${i}]`, errors);
  }
  for (const [i, rule] of nonResourceRules.entries()) {
    const at = `${path}.nonResourceRules[${i}]`;
    checkVerbs(rule.verbs ?? [], `${at}.verbs`, errors);
    const urls = rule.nonResourceURLs ?? [];
    if (urls.length === 0) {
      const detail = "nonResourceURLs must contain at least one value";
      errors.push(required(`${at}.nonResourceURLs`, detail));
    } else checkLoneStar(urls, [`${at}.nonResourceURLs`, "non-resource URLs"], errors);
  }
}

function validateSubject(subject: Subject, path: string, errors: FieldError[]): void {
  const { kind, user, group, serviceAccount } = subject;
  if (kind === "User") {
    if (user) errors.push(...checkText(`${path}.user.name`, user.name));
    else errors.push(required(`${path}.user`, "user is required when subject kind is 'User'"));
  } else if (kind === "Group") {
    if (group) errors.push(...checkText(`${path}.group.name`, group.name));
    else errors.push(required(`${path}.group`, "group is required when subject kind is 'Group'"));
  } else if (kind === "ServiceAccount") {
    if (!serviceAccount) {
      const detail = "serviceAccount is required when subject kind is 'ServiceAccount'";
      errors.push(required(`${path}.serviceAccount`, detail));
      return;
    }
    validateServiceAccount(serviceAccount, `${path}.serviceAccount`, errors);
  } else {
    errors.push(notSupported(`${path}.kind`, kind, ["Group", "ServiceAccount", "User"]));
  }
}

function validateServiceAccount(
  { name, namespace }: ServiceAccountSubject,
  path: string,
  errors: FieldError[],
): void {
  if (name !== "*") errors.push(...checkText(`${path}.name`, name, dns1123Subdomain));
  if (namespace === "") {
    const detail = "must specify namespace for service account";
    errors.push(required(`${path}.namespace`, detail));
  } else {
    errors.push(...invalidEach(`${path}.namespace`, namespace, dns1123Label(namespace)));
  }
}

function validateResourceRule(rule: ResourcePolicyRule, path: string, errors: FieldError[]): void {
  checkVerbs(rule.verbs ?? [], `${path}.verbs`, errors);
  if ((rule.apiGroups ?? []).length === 0) {
    const detail = "resource rules must supply at least one api group";
    errors.push(required(`${path}.apiGroups`, detail));
  }
  checkLoneStar(rule.apiGroups ?? [], [`${path}.apiGroups`, "api groups"], errors);
  if ((rule.resources ?? []).length === 0) {
    const detail = "resource rules must supply at least one resource";
    errors.push(required(`${path}.resources`, detail));
  }
  checkLoneStar(rule.resources ?? [], [`${path}.resources`, "resources"], errors);
  const namespaces = rule.namespaces ?? [];
  const at = `${path}.namespaces`;
  if (namespaces.length === 0 && rule.clusterScope !== true) {
    const detail = "resource rules that are not cluster scoped must supply at least one namespace";
    errors.push(required(at, detail));
  } else if (namespaces.includes("*")) {
    checkLoneStar(namespaces, [at, "namespaces"], errors);
  } else {
    for (const [i, namespace] of namespaces.entries()) {
      const complaints = dns1123Label(namespace).map((complaint) => namespaceRule + complaint);
      errors.push(...invalidEach(`${at}[${i}]`, namespace, complaints));
    }
  }
}

/** `*` says everything, so nothing may stand beside it. */
function checkLoneStar(
  given: readonly string[],
  [path, what]: readonly [string, string],
  errors: FieldError[],
): void {
  if (given.length <= 1 || !given.includes("*")) return;
  errors.push(invalidValue(path, given, `if '*' is present, must not specify other ${what}`));
}

function checkVerbs(given: readonly string[], path: string, errors: FieldError[]): void {
  if (given.length === 0) {
    errors.push(required(path, verbsNeeded));
    return;
  }
  checkLoneStar(given, [path, "verbs"], errors);
  if (given.includes("*") || given.every((verb) => verbs.includes(verb))) return;
  errors.push(notSupported(path, given, verbs));
}
