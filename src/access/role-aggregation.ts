// What the rules of aggregated ClusterRoles have to be, given all ClusterRoles (upstream: clusterroleaggregation
// controller). Pure; roles of roles are followed until nothing changes.
import type { KubeObject } from "../api/object.ts";
import type { LabelSelector } from "../api/types/meta-v1.ts";
import type { AggregationRule, PolicyRule } from "../api/types/rbac-v1.ts";

type Role = Readonly<KubeObject>;

/** The aggregated roles whose rules differ from what they should be, with the right rules; others are left out. */
export function aggregate(roles: readonly Role[]): KubeObject[] {
  const byName = [...roles].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  const rules = new Map(byName.map((role) => [nameOf(role), rulesOf(role)]));
  const targets = byName.filter((role) => selectorsOf(role) !== undefined);
  // One round per level of nesting settles it; more rounds than roles cannot be needed.
  for (let round = 0; round <= targets.length; round++) {
    const changed = targets.filter((role) => {
      const wanted = collect(role, byName, rules);
      if (sameRules(wanted, rules.get(nameOf(role)) ?? [])) return false;
      rules.set(nameOf(role), wanted);
      return true;
    });
    if (changed.length === 0) break;
  }
  return targets
    .filter((role) => !sameRules(rulesOf(role), rules.get(nameOf(role)) ?? []))
    .map((role) => Object.assign({}, role, { rules: rules.get(nameOf(role)) ?? [] }));
}

function collect(
  target: Role,
  byName: readonly Role[],
  rules: ReadonlyMap<string, readonly PolicyRule[]>,
): readonly PolicyRule[] {
  const collected = new Map<string, PolicyRule>();
  for (const selector of selectorsOf(target) ?? []) {
    for (const role of byName) {
      if (nameOf(role) === nameOf(target) || !selects(selector, role.metadata.labels ?? {}))
        continue;
      for (const rule of rules.get(nameOf(role)) ?? []) {
        const key = ruleKey(rule);
        if (!collected.has(key)) collected.set(key, rule);
      }
    }
  }
  return [...collected.values()];
}

function selects(selector: LabelSelector, labels: Readonly<Record<string, string>>): boolean {
  const equal = Object.entries(selector.matchLabels ?? {});
  if (!equal.every(([key, value]) => labels[key] === value)) return false;
  return (selector.matchExpressions ?? []).every(({ key, operator, values = [] }) => {
    const value = labels[key];
    if (operator === "Exists") return value !== undefined;
    if (operator === "DoesNotExist") return value === undefined;
    const listed = value !== undefined && values.includes(value);
    return operator === "In" ? listed : !listed;
  });
}

const nameOf = (role: Role): string => role.metadata.name ?? "";

const rulesOf = (role: Role): readonly PolicyRule[] => (role["rules"] ?? []) as PolicyRule[];

const selectorsOf = (role: Role): readonly LabelSelector[] | undefined =>
  (role["aggregationRule"] as AggregationRule | undefined)?.clusterRoleSelectors;

function sameRules(a: readonly PolicyRule[], b: readonly PolicyRule[]): boolean {
  return a.length === b.length && a.every((rule, i) => ruleKey(rule) === ruleKey(b[i] ?? {}));
}

/** Equal for equal rules, whatever the order of their fields. */
function ruleKey(rule: PolicyRule): string {
  const { verbs = [], apiGroups = [], resources = [], resourceNames = [] } = rule;
  return JSON.stringify([verbs, apiGroups, resources, resourceNames, rule.nonResourceURLs ?? []]);
}
