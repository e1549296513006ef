// How much of a quota is used: everything in the namespace that it limits, counted anew (upstream:
// pkg/controller/resourcequota, pkg/quota/v1/resources.go CalculateUsage).
import { type Quantity, addQuantities, formatQuantity, parseQuantity } from "../../api/quantity.ts";
import { schema } from "../../api/schema/schema.ts";
import { qualified } from "../../api/meta/errors.ts";
import type { ResourceQuota, ResourceQuotaStatus } from "../../api/types/core-v1.ts";
import type { ResourceName } from "../../client/client.ts";
import type { ApiObject } from "../../client/served-object.ts";
import { hasScopes, inScopes } from "./scopes.ts";
import {
  type Usage,
  claimUsage,
  isClaimResource,
  isPodResource,
  isServiceResource,
  podUsage,
  serviceUsage,
} from "./usage.ts";

/** Objects of the quota's namespace. */
export type ObjectsOf = (resource: ResourceName) => readonly ApiObject[];

const countPrefix = "count/";
/** Counted by their own names, too. */
const legacyCounts = ["configmaps", "replicationcontrollers", "resourcequotas", "secrets"];
const countable: ReadonlySet<string> = new Set(
  schema.resources
    .filter(({ namespaced }) => namespaced)
    .map(({ group, resource }) => qualified(group, resource)),
);

/** Of which resources the objects must be known to say how much of `quota` is used. */
export function resourcesOf({ spec }: ResourceQuota): ResourceName[] {
  return [...new Set(Object.keys(spec?.hard ?? {}).flatMap((name) => resourceOf(name) ?? []))];
}

export function planQuota(
  { spec = {} }: ResourceQuota,
  objectsOf: ObjectsOf,
  now: number,
): ResourceQuotaStatus {
  const hard = spec.hard ?? {};
  const sums = new Map<ResourceName, Usage>();
  const used: Record<string, string> = {};
  for (const name of Object.keys(hard)) {
    const resource = resourceOf(name);
    if (resource === undefined) continue;
    let sum = sums.get(resource);
    if (sum === undefined) {
      const counted = objectsOf(resource).filter((object) => isCounted(spec, resource, object));
      sums.set(resource, (sum = sumOf(counted.map((object) => usageOf(resource, object, now)))));
    }
    used[name] = formatQuantity(sum.get(name) ?? zero);
  }
  return { hard, used };
}

const zero = parseQuantity("0");
const one = parseQuantity("1");

/** Undefined for what nobody knows how to count. */
function resourceOf(name: string): ResourceName | undefined {
  if (name.startsWith(countPrefix)) {
    const resource = name.slice(countPrefix.length);
    return countable.has(resource) ? (resource as ResourceName) : undefined;
  }
  if (legacyCounts.includes(name)) return name as ResourceName;
  if (isServiceResource(name)) return "services";
  // Before pods: requests.storage looks like theirs.
  if (isClaimResource(name)) return "persistentvolumeclaims";
  return isPodResource(name) ? "pods" : undefined;
}

/** Only pods have scopes; a quota with scopes counts nothing else. */
function isCounted(
  spec: NonNullable<ResourceQuota["spec"]>,
  resource: ResourceName,
  object: ApiObject,
): boolean {
  if (!hasScopes(spec)) return true;
  return resource === "pods" && inScopes(spec, object);
}

function usageOf(resource: ResourceName, object: ApiObject, now: number): Usage {
  return new Map([
    [`${countPrefix}${resource}`, one],
    ...(legacyCounts.includes(resource) ? [[resource, one] as const] : []),
    ...ownUsage(resource, object, now),
  ]);
}

function ownUsage(resource: ResourceName, object: ApiObject, now: number): Usage {
  if (resource === "pods") return podUsage(object, now);
  if (resource === "services") return serviceUsage(object);
  if (resource === "persistentvolumeclaims") return claimUsage(object);
  return new Map();
}

function sumOf(usages: readonly Usage[]): Usage {
  const sum = new Map<string, Quantity>();
  for (const usage of usages)
    for (const [name, amount] of usage) sum.set(name, addQuantities(sum.get(name) ?? zero, amount));
  return sum;
}
