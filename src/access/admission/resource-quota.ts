// ResourceQuota: what would exceed a quota of its namespace is refused, what does not is charged to it, in the same
// request. It stands last, so that nothing is charged that somebody else refuses. Giving back is the
// resourcequota-controller's (upstream: apiserver/pkg/admission/plugin/resourcequota).
import type { AdmissionAttributes } from "../../api/admission-attributes.ts";
import { qualified } from "../../api/meta/errors.ts";
import type { KubeObject } from "../../api/object.ts";
import { subtractQuantities } from "../../api/quantity.ts";
import { type Usage, usageOf } from "../../api/quota/object-usage.ts";
import type { Clock } from "../../host/host.ts";
import { type Charge, accountFor, counts, objection } from "../quota/charge.ts";
import { QuotaAccountant, type QuotaBook } from "../quota/quota-accountant.ts";
import type { AdmissionStep } from "./chain.ts";
import { refuse } from "./refusal.ts";

/** Kinds whose use may change in an update. */
const changing: ReadonlySet<string> = new Set(["services", "persistentvolumeclaims"]);

export function resourceQuota(clock: Clock, book: QuotaBook): AdmissionStep {
  const accountant = new QuotaAccountant(book);
  return (attributes) => {
    if (!isCounted(attributes)) return undefined;
    const { namespace, object } = attributes;
    const quotas = book.list(namespace);
    if (quotas.length === 0 || object === undefined) return undefined;
    const charge = chargeOf(attributes, object, clock.now());
    const matching = quotas.filter((quota) => counts(quota, charge));
    for (const quota of matching) {
      const why = objection(quota, charge);
      if (why !== undefined) throw refuse(attributes, why);
    }
    if (charge.usage.size === 0 || matching.length === 0) return undefined;
    // Before any of several is charged, each is asked: a charge that another one refuses is given back only when the
    // controller counts anew.
    for (const { metadata, status = {} } of matching) {
      const account = accountFor(metadata.name ?? "", status, charge);
      if (account.kind === "Exceeded") throw refuse(attributes, account.why);
    }
    if (attributes.dryRun) return undefined;
    return settle(accountant, attributes, charge);
  };
}

async function settle(
  accountant: QuotaAccountant,
  attributes: AdmissionAttributes,
  charge: Charge,
): Promise<void> {
  const why = await accountant.charge(attributes.namespace, charge);
  if (why !== undefined) throw refuse(attributes, why);
}

function isCounted({ operation, resource, subresource, namespace }: AdmissionAttributes): boolean {
  if (namespace === "" || !resource.namespaced) return false;
  const isResize = resource.resource === "pods" && subresource === "resize";
  if (operation === "CREATE") return subresource === "";
  if (operation !== "UPDATE" || resource.group !== "") return false;
  return isResize || (subresource === "" && changing.has(resource.resource));
}

function chargeOf(attributes: AdmissionAttributes, object: KubeObject, now: number): Charge {
  const resource = qualified(attributes.resource.group, attributes.resource.resource);
  const usage = usageOf(resource, object, now);
  const { oldObject } = attributes;
  const before: Usage = oldObject === undefined ? new Map() : usageOf(resource, oldObject, now);
  return { resource, object, usage: growth(usage, before) };
}

/** What shrinks is given back by the controller. */
function growth(after: Usage, before: Usage): Usage {
  const grown = new Map(after);
  for (const [name, amount] of after) {
    const old = before.get(name);
    const more = old === undefined ? amount : subtractQuantities(amount, old);
    if (more.nanos > 0n) grown.set(name, more);
    else grown.delete(name);
  }
  return grown;
}
