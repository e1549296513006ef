// Which rule of the policy a request falls under: the first that matches decides (upstream: audit/policy/checker.go).
import type { RequestDigest } from "../request-digest.ts";
import type { GroupResources, Level, Policy, PolicyRule, Stage } from "./policy.ts";

/** Of a request, what rules look at. */
export type RuleSubject = Pick<
  RequestDigest,
  | "user"
  | "verb"
  | "isResource"
  | "group"
  | "resource"
  | "subresource"
  | "namespace"
  | "name"
  | "path"
>;

export interface Treatment {
  readonly level: Level;
  readonly omitStages: readonly Stage[];
  readonly omitManagedFields: boolean;
}

export function treatmentOf(policy: Policy, subject: RuleSubject): Treatment {
  const rule = policy.rules.find((candidate) => matches(candidate, subject));
  if (rule !== undefined) return rule;
  const { omitStages, omitManagedFields } = policy;
  return { level: "None", omitStages, omitManagedFields };
}

function matches(rule: PolicyRule, subject: RuleSubject): boolean {
  const { users, userGroups, verbs } = rule;
  if (users.length > 0 && !users.includes(subject.user.name)) return false;
  if (userGroups.length > 0 && !subject.user.groups.some((group) => userGroups.includes(group)))
    return false;
  if (verbs.length > 0 && !verbs.includes(subject.verb)) return false;
  if (rule.namespaces.length > 0 || rule.resources.length > 0)
    return matchesResource(rule, subject);
  if (rule.nonResourceURLs.length > 0) return matchesPath(rule, subject);
  return true;
}

function matchesPath({ nonResourceURLs }: PolicyRule, { isResource, path }: RuleSubject): boolean {
  if (isResource) return false;
  return nonResourceURLs.some(
    (url) =>
      url === "*" ||
      url === path ||
      (url.endsWith("*") && path.startsWith(url.replace(/\*+$/, ""))),
  );
}

function matchesResource(rule: PolicyRule, subject: RuleSubject): boolean {
  if (!subject.isResource) return false;
  // What has no namespace matches the empty one.
  if (rule.namespaces.length > 0 && !rule.namespaces.includes(subject.namespace)) return false;
  if (rule.resources.length === 0) return true;
  return rule.resources.some((entry) => matchesEntry(entry, subject));
}

function matchesEntry(entry: GroupResources, subject: RuleSubject): boolean {
  if (entry.group !== subject.group && entry.group !== "*") return false;
  if (entry.resources.length === 0) return true;
  if (entry.resourceNames.length > 0 && !entry.resourceNames.includes(subject.name)) return false;
  const { resource, subresource } = subject;
  const combined = subresource === "" ? resource : `${resource}/${subresource}`;
  return entry.resources.some(
    (wanted) =>
      wanted === combined ||
      wanted === "*" ||
      (subresource !== "" && wanted === `*/${subresource}`) ||
      wanted === `${resource}/*`,
  );
}
