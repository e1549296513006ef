// Services that were stored by an older version have their addresses and ports only in their spec: at the start of a server
// they get the claims that claims.ts writes since. Takes nothing away (upstream: core/service/ipallocator/controller).
import { uncounted } from "../../../api/request-cost.ts";
import type { Log } from "../../../host/host.ts";
import type { Service } from "../../../api/types/core-v1.ts";
import type { Store } from "../../../storage/store.ts";
import type { ObjectStore } from "../../generic/object-store.ts";
import { writeAttemptsMax } from "../../generic/optimistic.ts";
import { addressesOf, portsOf, type ServiceClaims } from "./claims.ts";
import { parseObject } from "../../../api/codec/parse-object.ts";
import type { ObjectName } from "../../../watchcache/object-key.ts";

export interface RepairParts {
  readonly store: Store;
  readonly services: ObjectStore;
  readonly claims: ServiceClaims;
}

/** Services that are completed at once; the store commits them in groups. */
const repairsMax = 64;

export async function repairServiceClaims(log: Log, parts: RepairParts): Promise<void> {
  const incomplete = await findIncomplete(log, parts);
  for (let start = 0; start < incomplete.length; start += repairsMax) {
    const batch = incomplete.slice(start, start + repairsMax);
    await Promise.all(batch.map((service) => complete(parts, service)));
  }
}

/** Of two Services with the same address or port, one has it; only a person can tell what to do then. */
async function findIncomplete(log: Log, { services, claims }: RepairParts): Promise<ObjectName[]> {
  const portsTaken = await claims.portsTaken();
  const owners = new Map<string | number, string>();
  const incomplete: ObjectName[] = [];
  for (const { key, bytes } of services.cache.peekAll("")) {
    const { spec = {}, metadata } = parseObject(bytes) as Service;
    const addresses = addressesOf(spec);
    const ports = [...portsOf(spec)];
    for (const what of [...addresses, ...ports]) {
      const other = owners.get(what);
      if (other === undefined) owners.set(what, key);
      else
        log.warn("two Services hold the same address or port", { what, first: other, second: key });
    }
    const isComplete =
      !addresses.some((address) => claims.seemsFree(address)) &&
      ports.every((port) => portsTaken.has(port));
    const { namespace = "", name = "" } = metadata;
    if (!isComplete) incomplete.push({ namespace, name });
  }
  return incomplete;
}

async function complete(parts: RepairParts, service: ObjectName): Promise<void> {
  const { store, services, claims } = parts;
  for (let tries = 0; tries < writeAttemptsMax; tries++) {
    const current = await services.read(service, uncounted());
    if (current === undefined) return;
    const claim = claims.open(service);
    const { spec = {} } = parseObject(current.bytes) as Service;
    for (const thing of claims.thingsOf(spec)) await claim.ask(thing);
    const compare = { key: services.storeKey(service), modRevision: current.revision };
    const outcome = await store.transact({
      compare: [compare, ...claim.compare],
      success: claim.success,
      failure: [],
    });
    if (outcome.succeeded) return;
  }
}
