// What the API server itself keeps up while it runs, until the controllers of the client tower do part of it: every
// namespace has its default ServiceAccount and CA bundle, aggregated ClusterRoles follow their parts, and the server's
// own Lease is renewed.
import {
  type ServerIdentity,
  namespaceObjects,
  serverLease,
  serverLeaseRenewMs,
} from "../access/bootstrap-objects.ts";
import {
  applyBootstrap,
  planAggregation,
  reconcileBootstrap,
} from "../access/bootstrap-reconcile.ts";
import type { Cancel, Host } from "../host/host.ts";
import type { Registries } from "../registry/registry.ts";
import type { WatchItem } from "../watchcache/resource-cache.ts";
import type { CachedObjectReader } from "./cached-object-reader.ts";
import { Keeper } from "./keeper.ts";
import type { RegistryWriter } from "./registry-writer.ts";
import { parseObject } from "../api/codec/parse-object.ts";

export interface HousekeepingParts {
  readonly registries: Registries;
  readonly reader: CachedObjectReader;
  readonly writer: RegistryWriter;
  readonly identity: ServerIdentity;
  /** PEM. */
  readonly caBundle: string;
}

export function startHousekeeping(host: Host, parts: HousekeepingParts): Cancel {
  const keepers = [
    new Keeper(host, parts.registries, {
      resource: ["", "namespaces"],
      fieldSelector: "",
      begin: () => {},
      sync: (items) => fillNamespaces(parts, items),
    }),
    new Keeper(host, parts.registries, {
      resource: ["rbac.authorization.k8s.io", "clusterroles"],
      fieldSelector: "",
      begin: () => {},
      sync: () => applyBootstrap(planAggregation(parts.reader), parts.writer),
    }),
  ];
  const lease = renewLease(host, parts);
  for (const keeper of keepers) keeper.start();
  return () => {
    lease();
    for (const keeper of keepers) keeper.stop();
  };
}

async function fillNamespaces(
  parts: HousekeepingParts,
  items: readonly WatchItem[],
): Promise<void> {
  for (const item of items) {
    if (item.type !== "ADDED" && item.type !== "MODIFIED") continue;
    const namespace = parseObject(item.object.bytes);
    const { name = "", deletionTimestamp } = namespace.metadata;
    // A namespace that is going away takes nothing new.
    if (deletionTimestamp !== undefined) continue;
    await reconcileBootstrap(namespaceObjects(name, parts.caBundle), parts.reader, parts.writer);
  }
}

/** `leases` of kube-system: who reads it can tell which API servers are alive. */
function renewLease(host: Host, { writer, identity }: HousekeepingParts): Cancel {
  let cancel: Cancel = () => {};
  let stopped = false;
  const renew = (): void => {
    const lease = serverLease(identity, host.clock.now());
    const resource = "leases.coordination.k8s.io";
    writer
      .update(resource, lease)
      .catch((error: unknown) =>
        host.log.warn("the server's own Lease was not renewed", { error: String(error) }),
      )
      .finally(() => {
        if (!stopped) cancel = host.clock.after(serverLeaseRenewMs, renew);
      });
  };
  cancel = host.clock.after(serverLeaseRenewMs, renew);
  return () => {
    stopped = true;
    cancel();
  };
}
