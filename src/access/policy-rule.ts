// What one RBAC rule allows, covers and looks like in words (upstream: pkg/apis/rbac/v1/evaluation_helpers.go,
// component-helpers/auth/rbac/validation). Pure functions of rules; knows neither users nor bindings.
import type { PolicyRule } from "../api/types/rbac-v1.ts";
import type { AuthorizationAttributes } from "./authorization.ts";
import { quotedList } from "./go-text.ts";

type Request = AuthorizationAttributes["request"];

export function ruleAllows(rule: PolicyRule, verb: string, request: Request): boolean {
  if (!holds(rule.verbs, verb)) return false;
  if (request.kind === "NonResource") return urlMatches(rule.nonResourceURLs, request.path);
  return (
    holds(rule.apiGroups, request.group) &&
    resourceMatches(rule.resources, request.resource, request.subresource) &&
    nameMatches(rule.resourceNames, request.name)
  );
}

function holds(list: readonly string[] | undefined, word: string): boolean {
  return list !== undefined && (list.includes("*") || list.includes(word));
}

function resourceMatches(
  list: readonly string[] | undefined,
  resource: string,
  subresource: string,
): boolean {
  if (list === undefined) return false;
  if (list.includes("*")) return true;
  if (subresource === "") return list.includes(resource);
  return list.includes(`${resource}/${subresource}`) || list.includes(`*/${subresource}`);
}

function nameMatches(list: readonly string[] | undefined, name: string): boolean {
  return list === undefined || list.length === 0 || list.includes(name);
}

function urlMatches(list: readonly string[] | undefined, path: string): boolean {
  return list !== undefined && list.some((pattern) => urlCovers(pattern, path));
}

/** A trailing `*` makes a prefix; upstream trims every trailing star. */
function urlCovers(pattern: string, path: string): boolean {
  if (pattern === "*" || pattern === path) return true;
  return pattern.endsWith("*") && path.startsWith(pattern.replace(/\*+$/, ""));
}

/** The single permissions of `wanted` that no rule of `held` gives. */
export function missingRules(
  held: readonly PolicyRule[],
  wanted: readonly PolicyRule[],
): PolicyRule[] {
  return wanted
    .flatMap(breakDown)
    .filter((single) => !held.some((rule) => ruleCovers(rule, single)));
}

/** One verb on one resource (and one name, where there are names) or on one URL each. */
function breakDown(rule: PolicyRule): PolicyRule[] {
  const singles: PolicyRule[] = [];
  for (const group of rule.apiGroups ?? []) {
    for (const resource of rule.resources ?? []) {
      for (const verb of rule.verbs ?? []) {
        const single = { verbs: [verb], apiGroups: [group], resources: [resource] };
        const names = rule.resourceNames ?? [];
        if (names.length === 0) singles.push(single);
        for (const name of names) singles.push({ ...single, resourceNames: [name] });
      }
    }
  }
  for (const url of rule.nonResourceURLs ?? []) {
    for (const verb of rule.verbs ?? []) singles.push({ verbs: [verb], nonResourceURLs: [url] });
  }
  return singles;
}

function ruleCovers(owner: PolicyRule, single: PolicyRule): boolean {
  return (
    coversAll(owner.verbs, single.verbs) &&
    coversAll(owner.apiGroups, single.apiGroups) &&
    (single.resources ?? []).every((resource) => resourceCovers(owner.resources, resource)) &&
    (single.nonResourceURLs ?? []).every((url) => urlMatches(owner.nonResourceURLs, url)) &&
    namesCover(owner.resourceNames ?? [], single.resourceNames ?? [])
  );
}

function coversAll(
  list: readonly string[] | undefined,
  wanted: readonly string[] | undefined,
): boolean {
  return (wanted ?? []).every((word) => holds(list, word));
}

function resourceCovers(list: readonly string[] | undefined, resource: string): boolean {
  const slash = resource.indexOf("/");
  if (slash < 0) return resourceMatches(list, resource, "");
  return resourceMatches(list, resource.slice(0, slash), resource.slice(slash + 1));
}

/** A rule without names covers everything; one with names never covers one without. */
function namesCover(owner: readonly string[], wanted: readonly string[]): boolean {
  if (owner.length === 0) return true;
  return wanted.length > 0 && wanted.every((name) => owner.includes(name));
}

/** Joins single resource permissions that differ only in their verbs (upstream: CompactRules). */
export function compactRules(rules: readonly PolicyRule[]): PolicyRule[] {
  const compacted: PolicyRule[] = [];
  const simple = new Map<string, PolicyRule>();
  for (const rule of rules) {
    const key = simpleKey(rule);
    const known = key === undefined ? undefined : simple.get(key);
    if (known !== undefined) {
      const verbs = known.verbs ?? [];
      known.verbs = [...verbs, ...(rule.verbs ?? []).filter((verb) => !verbs.includes(verb))];
      continue;
    }
    const copy = { ...rule };
    if (key !== undefined) simple.set(key, copy);
    compacted.push(copy);
  }
  return compacted;
}

function simpleKey(rule: PolicyRule): string | undefined {
  if (rule.apiGroups?.length !== 1 || rule.resources?.length !== 1) return undefined;
  if ((rule.resourceNames?.length ?? 0) > 1 || (rule.nonResourceURLs?.length ?? 0) > 0) {
    return undefined;
  }
  return JSON.stringify([rule.apiGroups[0], rule.resources[0], rule.resourceNames ?? []]);
}

/** `{APIGroups:["" "apps"], Resources:["pods"], Verbs:["get"]}`, lists as Go prints them. */
export function describeRule(rule: PolicyRule): string {
  const parts: (readonly [string, readonly string[] | undefined])[] = [
    ["APIGroups", rule.apiGroups],
    ["Resources", rule.resources],
    ["NonResourceURLs", rule.nonResourceURLs],
    ["ResourceNames", rule.resourceNames],
    ["Verbs", rule.verbs],
  ];
  const texts = parts
    .filter(([, list]) => list !== undefined && list.length > 0)
    .map(([word, list]) => `${word}:${quotedList(list ?? [])}`);
  return `{${texts.join(", ")}}`;
}
