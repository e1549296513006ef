// How much of a quota is used: everything in the namespace that it limits, counted anew (upstream:
// pkg/controller/resourcequota, pkg/quota/v1/resources.go CalculateUsage).
import { type Quantity, addQuantities, formatQuantity, parseQuantity } from "../../api/quantity.ts";
import type { KubeObject } from "../../api/object.ts";
import type { ResourceQuota, ResourceQuotaStatus } from "../../api/types/core-v1.ts";
import type { ResourceName } from "../../client/client.ts";
import type { ApiObject } from "../../client/served-object.ts";
import { hasScopes, inScopes } from "../../api/quota/scopes.ts";
import { type Usage, resourceLimitedBy, usageOf } from "../../api/quota/object-usage.ts";

/** Objects of the quota's namespace. */
export type ObjectsOf = (resource: ResourceName) => readonly ApiObject[];

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
      sums.set(
        resource,
        (sum = sumOf(counted.map((object) => usageOf(resource, object as KubeObject, now)))),
      );
    }
    used[name] = formatQuantity(sum.get(name) ?? zero);
  }
  return { hard, used };
}

const zero = parseQuantity("0");

function resourceOf(name: string): ResourceName | undefined {
  return resourceLimitedBy(name) as ResourceName | undefined;
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

function sumOf(usages: readonly Usage[]): Usage {
  const sum = new Map<string, Quantity>();
  for (const usage of usages)
    for (const [name, amount] of usage) sum.set(name, addQuantities(sum.get(name) ?? zero, amount));
  return sum;
}
