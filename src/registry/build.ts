// Every stored resource's registry, from the schema: its strategy and fields by name, its place in the store, its cache.
// Kinds served in two versions get one registry that stores and one that converts.
import type { Host } from "../host/host.ts";
import { storedKind } from "../api/conversion/conversion.ts";
import { storedEventField } from "../api/conversion/event.ts";
import { qualified } from "../api/meta/errors.ts";
import { type ResourceSchema, schema } from "../api/schema/schema.ts";
import { assert } from "../std/assert.ts";
import type { Store } from "../storage/store.ts";
import type { DecodeStored } from "../watchcache/stored-object.ts";
import type { WatchCache } from "../watchcache/watch-cache.ts";
import { servedEventFields } from "./core/event/fields.ts";
import { bindPod } from "./core/pod/binding.ts";
import { evictPod } from "./core/pod/eviction.ts";
import { type PortRange, parseAddressRange } from "./core/service/address-range.ts";
import { ServiceAllocator } from "./core/service/allocator.ts";
import { ServiceClaims } from "./core/service/claims.ts";
import { repairServiceClaims } from "./core/service/repair.ts";
import { type FieldTable, layoutOf, plainFields } from "./fields.ts";
import { ConvertedRegistry } from "./generic/converted-registry.ts";
import { GenericRegistry, type SubresourceAction } from "./generic/generic-registry.ts";
import { LeasePool } from "./generic/lease-pool.ts";
import { ObjectStore } from "./generic/object-store.ts";
import { noReservations, type RegistryParts } from "./generic/registry-parts.ts";
import { SystemFields } from "./generic/system-fields.ts";
import type { Registries, ResourceRegistry } from "./registry.ts";
import { resourcePrefix } from "./storage-prefix.ts";
import { fieldsOf, strategyOf } from "./strategies.ts";

export interface RegistryOptions {
  /** In discovery order. */
  readonly resources: readonly ResourceSchema[];
  /** Of every key, with both slashes; the watch cache's too: `/registry/`. */
  readonly prefix: string;
  /** IPv4 network of cluster IPs; its first address is the API server's own service. */
  readonly serviceClusterIpRange: string;
  readonly serviceNodePortRange: PortRange;
  /** As the watch cache's: for values that are not JSON. Undefined: there are none. */
  readonly decodeStored: DecodeStored | undefined;
}

export const defaultRegistryOptions: RegistryOptions = {
  resources: schema.resources,
  prefix: "/registry/",
  serviceClusterIpRange: "10.96.0.0/16",
  serviceNodePortRange: { first: 30_000, last: 32_767 },
  decodeStored: undefined,
};

export interface StoredRegistries extends Registries {
  /** Once, when the watch cache has started: completes what older versions stored. */
  repair(): Promise<void>;
}

/** Adds its resources to the watch cache; start that afterwards. */
export function buildRegistries(
  host: Host,
  store: Store,
  watchCache: WatchCache,
  options: RegistryOptions,
): StoredRegistries {
  return new SchemaRegistries({ host, store, watchCache, options });
}

interface Ground {
  readonly host: Host;
  readonly store: Store;
  readonly watchCache: WatchCache;
  readonly options: RegistryOptions;
}

class SchemaRegistries implements StoredRegistries {
  readonly all: readonly ResourceRegistry[];
  readonly #services: ServiceParts;

  constructor(ground: Ground) {
    const served = ground.options.resources.filter(isStored);
    const plain = partsByLabel(ground, served);
    this.#services = withClaims(ground, plain);
    const parts = new Map([...plain, ["services", this.#services.parts]]);
    const stored = new Map(
      [...parts].map(([label, own]) => [label, new GenericRegistry(own, actionsOf(label, parts))]),
    );
    this.all = served.map((resource) => {
      const label = storedLabel(resource);
      const registry = stored.get(label);
      assert(registry !== undefined, `no registry stores ${label}`);
      if (registry.resource === resource) return registry;
      return new ConvertedRegistry(resource, registry, servedFields(label));
    });
  }

  repair(): Promise<void> {
    return this.#services.repair();
  }

  find(group: string, resource: string, version?: string): ResourceRegistry | undefined {
    return this.all.find(
      (registry) =>
        registry.resource.group === group &&
        registry.resource.resource === resource &&
        (version === undefined || registry.resource.version === version),
    );
  }
}

/** Reviews, bindings and component statuses are answers, not objects. */
function isStored(resource: ResourceSchema): boolean {
  return resource.verbs.includes("delete");
}

/** Label of the resource under which a kind is stored: `events` for events.k8s.io. */
function storedLabel(resource: ResourceSchema): string {
  return qualified(storedKind(resource).group, resource.resource);
}

function isStorageVersion(resource: ResourceSchema): boolean {
  const { group, version } = storedKind(resource);
  return group === resource.group && version === resource.version;
}

function partsByLabel(
  ground: Ground,
  served: readonly ResourceSchema[],
): ReadonlyMap<string, RegistryParts> {
  const { host, store } = ground;
  const system = new SystemFields(host);
  const leases = new LeasePool(host.clock, store);
  const access = { clock: host.clock, store, leases, decodeStored: ground.options.decodeStored };
  const made = served.filter(isStorageVersion).map((resource): [string, RegistryParts] => {
    const label = storedLabel(resource);
    const fields = fieldsOf(label);
    const cache = ground.watchCache.addResource(
      layoutOf(fields, {
        label,
        prefix: `${ground.options.prefix}${resourcePrefix(resource.group, resource.resource)}/`,
        namespaced: resource.namespaced,
      }),
    );
    const objects = new ObjectStore(access, cache);
    const strategy = strategyOf(label);
    return [
      label,
      {
        clock: host.clock,
        resource,
        strategy,
        fields,
        objects,
        system,
        reservations: noReservations,
      },
    ];
  });
  return new Map(made);
}

interface ServiceParts {
  readonly parts: RegistryParts;
  repair(): Promise<void>;
}

/** Services, with what each of them may have alone. */
function withClaims(
  { host, store, options }: Ground,
  plain: ReadonlyMap<string, RegistryParts>,
): ServiceParts {
  const services = plain.get("services");
  const addresses = plain.get("ipaddresses.networking.k8s.io");
  assert(services !== undefined && addresses !== undefined, "services and addresses are served");
  const claims = new ServiceClaims(store, addresses, options.prefix);
  const ranges = {
    addresses: parseAddressRange(options.serviceClusterIpRange),
    nodePorts: options.serviceNodePortRange,
  };
  const random = host.random.stream("registry/service");
  return {
    parts: { ...services, reservations: new ServiceAllocator(random, claims, ranges) },
    repair: () => repairServiceClaims(host.log, { store, claims, services: services.objects }),
  };
}

function actionsOf(
  label: string,
  parts: ReadonlyMap<string, RegistryParts>,
): Readonly<Record<string, SubresourceAction>> {
  if (label !== "pods") return {};
  const pods = parts.get("pods");
  const budgets = parts.get("poddisruptionbudgets.policy");
  assert(pods !== undefined && budgets !== undefined, "pods and their budgets are served");
  return {
    binding: (object, call) => bindPod(pods, object, call),
    eviction: (object, call) => evictPod({ pods, budgets }, object, call),
  };
}

function servedFields(label: string): {
  readonly table: FieldTable;
  storedName(field: string): string;
} {
  return label === "events"
    ? { table: servedEventFields, storedName: storedEventField }
    : { table: plainFields, storedName: (field) => field };
}
