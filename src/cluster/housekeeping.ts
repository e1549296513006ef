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
import { noListOptions } from "../api/meta/list-options.ts";
import type { Cancel, Host } from "../host/host.ts";
import type { Registries } from "../registry/registry.ts";
import type { Watcher, WatchItem } from "../watchcache/resource-cache.ts";
import type { CachedObjectReader } from "./cached-object-reader.ts";
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

/** After a watch ended or a write failed, before the next try. */
const retryMs = 1_000;
/** Watches of our own end and start anew like everybody's. */
const watchMs = 3_600_000;

export function startHousekeeping(host: Host, parts: HousekeepingParts): Cancel {
  const keepers = [
    new Keeper(host, parts, ["", "namespaces"], (items) => fillNamespaces(parts, items)),
    new Keeper(host, parts, ["rbac.authorization.k8s.io", "clusterroles"], () =>
      applyBootstrap(planAggregation(parts.reader), parts.writer),
    ),
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

type Sync = (items: readonly WatchItem[]) => Promise<void>;

/**
 * Calls `sync` with what there is of one resource, and whenever something of it changes: with all that has happened
 * since the last call, one call at a time.
 */
class Keeper {
  readonly #host: Host;
  readonly #parts: HousekeepingParts;
  readonly #resource: readonly [group: string, resource: string];
  readonly #sync: Sync;
  #watcher: Watcher | undefined;
  #stopped = false;

  constructor(
    host: Host,
    parts: HousekeepingParts,
    resource: readonly [group: string, resource: string],
    sync: Sync,
  ) {
    this.#host = host;
    this.#parts = parts;
    this.#resource = resource;
    this.#sync = sync;
  }

  start(): void {
    this.#watch().then(
      () => this.#again(),
      (error: unknown) => this.#again(String(error)),
    );
  }

  stop(): void {
    this.#stopped = true;
    this.#watcher?.close();
  }

  #again(error?: string): void {
    if (this.#stopped) return;
    if (error !== undefined)
      this.#host.log.warn("housekeeping has to start over", {
        resource: this.#resource[1],
        error,
      });
    this.#host.clock.after(retryMs, () => {
      if (!this.#stopped) this.start();
    });
  }

  /** Resolves when the watch ended. */
  async #watch(): Promise<void> {
    const registry = this.#parts.registries.find(...this.#resource);
    const endsAt = this.#host.clock.monotonic() + watchMs;
    const watcher = await registry?.watch("", noListOptions, endsAt);
    if (watcher === undefined) return;
    this.#watcher = watcher;
    try {
      for (;;) {
        const items = await watcher.next();
        if ("end" in items) return;
        await this.#sync(items);
      }
    } finally {
      watcher.close();
    }
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
