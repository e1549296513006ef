// Whether a quota has room for what an object uses, and what the quota says afterwards (upstream:
// apiserver/pkg/admission/plugin/resourcequota/controller.go CheckRequest). Pure.
import type { KubeObject } from "../../api/object.ts";
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  parseQuantity,
} from "../../api/quantity.ts";
import { type Usage, resourceLimitedBy } from "../../api/quota/object-usage.ts";
import { hasScopes, inScopes } from "../../api/quota/scopes.ts";
import type { Pod, ResourceQuota, ResourceQuotaStatus } from "../../api/types/core-v1.ts";
import { missingRequests } from "./missing-requests.ts";

/** One write that a namespace's quotas have to allow. */
export interface Charge {
  /** `pods`, `jobs.batch`. */
  readonly resource: string;
  readonly object: Readonly<KubeObject>;
  /** More than before; without zeros. */
  readonly usage: Usage;
}

type Amounts = Readonly<Record<string, string>>;

/** Whether the quota counts such an object at all. */
export function counts(quota: ResourceQuota, { resource, object }: Charge): boolean {
  if (namesOf(quota, resource).length === 0) return false;
  const spec = quota.spec ?? {};
  if (!hasScopes(spec)) return true;
  return resource === "pods" && inScopes(spec, object);
}

/** Why the quota refuses whatever is left of it; undefined: it does not. */
export function objection(quota: ResourceQuota, { resource, object }: Charge): string | undefined {
  const name = quota.metadata.name ?? "";
  const names = namesOf(quota, resource);
  const missing = resource === "pods" ? missingRequests((object as Pod).spec, names) : "";
  if (missing !== "") return `failed quota: ${name}: must specify ${missing}`;
  const used = quota.status?.used ?? {};
  if (names.every((one) => used[one] !== undefined)) return undefined;
  return `status unknown for quota: ${name}, resources: ${names.join(",")}`;
}

export type Account =
  | { readonly kind: "Charged"; readonly status: ResourceQuotaStatus }
  | { readonly kind: "Exceeded"; readonly why: string };

/** The quota's status with the charge in it, or why there is no room. */
export function accountFor(
  name: string,
  { hard = {}, used = {} }: ResourceQuotaStatus,
  { usage }: Charge,
): Account {
  const after: Record<string, string> = { ...used };
  const requested: Record<string, string> = {};
  const exceeded: string[] = [];
  for (const [resource, amount] of usage) {
    const limit = hard[resource];
    if (limit === undefined) continue;
    const sum = addQuantities(parseQuantity(used[resource] ?? "0"), amount);
    requested[resource] = formatQuantity(amount);
    after[resource] = formatQuantity(sum);
    if (compareQuantities(sum, parseQuantity(limit)) > 0) exceeded.push(resource);
  }
  if (exceeded.length === 0) return { kind: "Charged", status: { hard, used: after } };
  const shown = (amounts: Amounts): string => listed(amounts, exceeded.toSorted());
  const why = `exceeded quota: ${name}, requested: ${shown(requested)}, used: ${shown(used)}, limited: ${shown(hard)}`;
  return { kind: "Exceeded", why };
}

function listed(amounts: Amounts, names: readonly string[]): string {
  return names
    .map((name) => `${name}=${formatQuantity(parseQuantity(amounts[name] ?? "0"))}`)
    .join(",");
}

/** What the quota limits of `resource`. Only what its controller has taken up counts. */
function namesOf({ status }: ResourceQuota, resource: string): string[] {
  return Object.keys(status?.hard ?? {})
    .filter((name) => resourceLimitedBy(name) === resource)
    .toSorted();
}
