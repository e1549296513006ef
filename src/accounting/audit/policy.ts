// The audit policy: audit.k8s.io/v1 Policy from a file's text, checked in kube-apiserver's words (upstream:
// apiserver/pkg/audit/policy/reader.go, pkg/apis/audit/validation).
import { DecodeError } from "../../api/codec/decode-error.ts";
import { decodeYaml } from "../../api/codec/yaml.ts";
import {
  type FieldError,
  fieldErrorBody,
  invalidValue,
  notSupported,
  required,
} from "../../api/meta/field-error.ts";
import { dns1123Subdomain } from "../../api/validation/names.ts";

export const levels = ["None", "Metadata", "Request", "RequestResponse"] as const;
export type Level = (typeof levels)[number];

export const stages = ["RequestReceived", "ResponseStarted", "ResponseComplete", "Panic"] as const;
export type Stage = (typeof stages)[number];

export interface GroupResources {
  readonly group: string;
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
}

export interface PolicyRule {
  readonly level: Level;
  readonly users: readonly string[];
  readonly userGroups: readonly string[];
  readonly verbs: readonly string[];
  readonly resources: readonly GroupResources[];
  readonly namespaces: readonly string[];
  readonly nonResourceURLs: readonly string[];
  /** Together with the policy's own. */
  readonly omitStages: readonly Stage[];
  readonly omitManagedFields: boolean;
}

export interface Policy {
  readonly rules: readonly PolicyRule[];
  readonly omitStages: readonly Stage[];
  readonly omitManagedFields: boolean;
}

/** The message is kube-apiserver's. */
export class AuditPolicyError extends Error {
  override readonly name = "AuditPolicyError";
}

interface RawRule {
  readonly level?: string;
  readonly users?: readonly string[];
  readonly userGroups?: readonly string[];
  readonly verbs?: readonly string[];
  readonly resources?: readonly Partial<GroupResources>[];
  readonly namespaces?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
  readonly omitStages?: readonly string[];
  readonly omitManagedFields?: boolean;
}

interface RawPolicy {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly rules?: readonly RawRule[];
  readonly omitStages?: readonly string[];
  readonly omitManagedFields?: boolean;
}

/** Throws AuditPolicyError. */
export function parsePolicy(text: string): Policy {
  const raw = decode(text);
  const errors = policyErrors(raw);
  if (errors.length > 0) throw new AuditPolicyError(aggregate(errors));
  const rules = raw.rules ?? [];
  if (rules.length === 0) throw new AuditPolicyError("loaded illegal policy with 0 rules");
  const omitStages = (raw.omitStages ?? []) as readonly Stage[];
  const omitManagedFields = raw.omitManagedFields ?? false;
  return {
    omitStages,
    omitManagedFields,
    rules: rules.map((rule) => ruleOf(rule, { omitStages, omitManagedFields })),
  };
}

function ruleOf(
  raw: RawRule,
  common: Pick<Policy, "omitStages" | "omitManagedFields">,
): PolicyRule {
  return {
    level: raw.level as Level,
    users: raw.users ?? [],
    userGroups: raw.userGroups ?? [],
    verbs: raw.verbs ?? [],
    resources: (raw.resources ?? []).map(({ group = "", resources, resourceNames }) => ({
      group,
      resources: resources ?? [],
      resourceNames: resourceNames ?? [],
    })),
    namespaces: raw.namespaces ?? [],
    nonResourceURLs: raw.nonResourceURLs ?? [],
    omitStages: [...common.omitStages, ...((raw.omitStages ?? []) as readonly Stage[])],
    omitManagedFields: raw.omitManagedFields ?? common.omitManagedFields,
  };
}

function decode(text: string): RawPolicy {
  const value = readYaml(text);
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new AuditPolicyError("failed decoding: the file holds no object");
  const raw = value as RawPolicy;
  if (typeof raw.kind !== "string" || raw.kind === "")
    throw new AuditPolicyError(`failed decoding: Object 'Kind' is missing in '${compact(text)}'`);
  if (typeof raw.apiVersion !== "string" || raw.apiVersion === "")
    throw new AuditPolicyError(
      `failed decoding: Object 'apiVersion' is missing in '${compact(text)}'`,
    );
  if (raw.apiVersion !== "audit.k8s.io/v1" || raw.kind !== "Policy")
    throw new AuditPolicyError(
      `failed decoding: no kind ${JSON.stringify(raw.kind)} is registered for version ${JSON.stringify(raw.apiVersion)} in scheme "k8s.io/apiserver/pkg/audit/scheme.go:30"`,
    );
  requireShape(raw);
  return raw;
}

function readYaml(text: string): unknown {
  try {
    return decodeYaml(text);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new AuditPolicyError(`failed decoding: error converting YAML to JSON: ${error.message}`, {
      cause: error,
    });
  }
}

const textLists = ["users", "userGroups", "verbs", "namespaces", "nonResourceURLs", "omitStages"];

/** The types of everything that is read later. */
function requireShape(raw: RawPolicy): void {
  requireTexts(raw.omitStages, "omitStages");
  if (raw.rules === undefined || raw.rules === null) return;
  if (!Array.isArray(raw.rules)) throw mismatch("rules", "a list of rules");
  raw.rules.forEach((rule: RawRule, index) => {
    const path = `rules[${index}]`;
    if (typeof rule !== "object" || rule === null) throw mismatch(path, "an object");
    for (const name of textLists) requireTexts(rule[name as keyof RawRule], `${path}.${name}`);
    if (rule.resources === undefined) return;
    if (!Array.isArray(rule.resources)) throw mismatch(`${path}.resources`, "a list");
    for (const entry of rule.resources) {
      if (typeof entry !== "object" || entry === null)
        throw mismatch(`${path}.resources`, "a list of group and resources");
      requireTexts(entry.resources, `${path}.resources.resources`);
      requireTexts(entry.resourceNames, `${path}.resources.resourceNames`);
    }
  });
}

function requireTexts(value: unknown, path: string): void {
  if (value === undefined || value === null) return;
  if (!Array.isArray(value) || value.some((item) => typeof item !== "string"))
    throw mismatch(path, "a list of texts");
}

function mismatch(path: string, wanted: string): AuditPolicyError {
  return new AuditPolicyError(`failed decoding: ${path} must be ${wanted}`);
}

function compact(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}...` : text;
}

function policyErrors(policy: RawPolicy): FieldError[] {
  return [
    ...stageErrors(policy.omitStages ?? [], "omitStages"),
    ...(policy.rules ?? []).flatMap((rule, index) => ruleErrors(rule, `rules[${index}]`)),
  ];
}

function ruleErrors(rule: RawRule, path: string): FieldError[] {
  const { level = "", nonResourceURLs = [], resources = [], namespaces = [] } = rule;
  const errors = [
    ...levelErrors(level, `${path}.level`),
    ...urlErrors(nonResourceURLs, `${path}.nonResourceURLs`),
    ...resourceErrors(resources, `${path}.resources`),
    ...stageErrors(rule.omitStages ?? [], `${path}.omitStages`),
  ];
  if (nonResourceURLs.length > 0 && (resources.length > 0 || namespaces.length > 0))
    errors.push(
      invalidValue(
        `${path}.nonResourceURLs`,
        nonResourceURLs,
        "rules cannot apply to both regular resources and non-resource URLs",
      ),
    );
  return errors;
}

function levelErrors(level: string, path: string): FieldError[] {
  if (level === "") return [required(path)];
  return levels.includes(level as Level) ? [] : [notSupported(path, level, levels)];
}

function urlErrors(urls: readonly string[], path: string): FieldError[] {
  return urls.flatMap((url, index) => {
    if (url === "*") return [];
    const errors: FieldError[] = [];
    const place = `${path}[${index}]`;
    if (!url.startsWith("/"))
      errors.push(
        invalidValue(place, url, "non-resource URL rules must begin with a '/' character"),
      );
    if (url.slice(0, -1).includes("*"))
      errors.push(
        invalidValue(
          place,
          url,
          "non-resource URL wildcards '*' must be the final character of the rule",
        ),
      );
    return errors;
  });
}

function resourceErrors(entries: readonly Partial<GroupResources>[], path: string): FieldError[] {
  return entries.flatMap(({ group = "", resources = [], resourceNames = [] }) => {
    const errors: FieldError[] = [];
    const complaints = group === "" || group === "*" ? [] : dns1123Subdomain(group);
    if (complaints.length > 0)
      errors.push(invalidValue(`${path}.group`, group, complaints.join(",")));
    if (resourceNames.length > 0 && resources.length === 0)
      errors.push(
        invalidValue(
          `${path}.resourceNames`,
          resourceNames,
          "using resourceNames requires at least one resource",
        ),
      );
    return errors;
  });
}

function stageErrors(omitted: readonly string[], path: string): FieldError[] {
  return omitted.flatMap((stage, index) =>
    stages.includes(stage as Stage)
      ? []
      : [invalidValue(`${path}[${index}]`, stage, `allowed stages are ${stages.join(",")}`)],
  );
}

/** As Go's aggregated errors print. */
function aggregate(errors: readonly FieldError[]): string {
  const texts = [...new Set(errors.map((error) => `${error.field}: ${fieldErrorBody(error)}`))];
  return texts.length === 1 ? texts[0]! : `[${texts.join(", ")}]`;
}
