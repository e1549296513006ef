// Which pods a quota with scopes counts (upstream: pkg/quota/v1/evaluator/core/pods.go).
import { labelSelectorOf, matchesLabels } from "../meta/label-selector.ts";
import type {
  Pod,
  PodAffinityTerm,
  ResourceQuotaSpec,
  ScopedResourceSelectorRequirement,
} from "../types/core-v1.ts";
import { podAmounts } from "./pod-limits.ts";

export function hasScopes({ scopes = [], scopeSelector }: ResourceQuotaSpec): boolean {
  return scopes.length > 0 || (scopeSelector?.matchExpressions ?? []).length > 0;
}

export function inScopes(quota: ResourceQuotaSpec, pod: Pod): boolean {
  const { scopes = [], scopeSelector } = quota;
  return [
    ...scopes.map((scopeName) => ({ scopeName, operator: "Exists" })),
    ...(scopeSelector?.matchExpressions ?? []),
  ].every((requirement) => inScope(requirement, pod));
}

function inScope(requirement: ScopedResourceSelectorRequirement, pod: Pod): boolean {
  switch (requirement.scopeName) {
    case "Terminating":
      return pod.spec?.activeDeadlineSeconds !== undefined;
    case "NotTerminating":
      return pod.spec?.activeDeadlineSeconds === undefined;
    case "BestEffort":
      return isBestEffort(pod);
    case "NotBestEffort":
      return !isBestEffort(pod);
    case "PriorityClass":
      return hasPriorityClass(requirement, pod);
    case "CrossNamespacePodAffinity":
      return looksAbroad(pod);
    default:
      return false;
  }
}

function isBestEffort({ spec }: Pod): boolean {
  if (spec === undefined) return true;
  const amounts = [podAmounts(spec, "requests"), podAmounts(spec, "limits")];
  return amounts.every((side) =>
    ["cpu", "memory"].every((name) => (side.get(name)?.nanos ?? 0n) === 0n),
  );
}

function hasPriorityClass(
  { operator, values }: ScopedResourceSelectorRequirement,
  { spec }: Pod,
): boolean {
  const name = spec?.priorityClassName ?? "";
  const key = "PriorityClass";
  const selector = labelSelectorOf({ matchExpressions: [{ key, operator, values: values ?? [] }] });
  return matchesLabels(selector, name === "" ? {} : { [key]: name });
}

function looksAbroad({ spec }: Pod): boolean {
  const { podAffinity, podAntiAffinity } = spec?.affinity ?? {};
  return [podAffinity, podAntiAffinity].some((affinity) => {
    const terms: PodAffinityTerm[] = [
      ...(affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
      ...(affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(
        ({ podAffinityTerm }) => podAffinityTerm,
      ),
    ];
    return terms.some(
      ({ namespaces = [], namespaceSelector }) =>
        namespaces.length > 0 || namespaceSelector !== undefined,
    );
  });
}
