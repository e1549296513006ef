// What only one Service may have, as keys of the store: an IPAddress object for each cluster IP, a mark for each node port.
// They are written and deleted in the Service's own transaction, so that every server on the store agrees on who has what
// and no crash leaves one without the other. Knows nothing of how addresses and ports are chosen.
import { uncounted } from "../../../api/request-cost.ts";
import type { KubeObject } from "../../../api/object.ts";
import type { ServiceSpec } from "../../../api/types/core-v1.ts";
import type { IPAddress } from "../../../api/types/networking-v1.ts";
import { decodeUtf8, encodeUtf8 } from "../../../std/utf8.ts";
import type { Compare, Operation, Store } from "../../../storage/store.ts";
import { prefixEnd } from "../../../watchcache/page.ts";
import { storedBytes } from "../../generic/object-bytes.ts";
import type { Companions } from "../../generic/object-store.ts";
import type { RegistryParts } from "../../generic/registry-parts.ts";
import { parseObject } from "../../../api/codec/parse-object.ts";
import { cacheKey, type ObjectName } from "../../../watchcache/object-key.ts";

/** One address or port. */
export interface Thing {
  readonly key: string;
  /** What stands under the key while `owner` has it. */
  value(owner: ObjectName): Uint8Array;
  /** Who has it now, linearizable. */
  holder(): Promise<Holder | undefined>;
}

export interface Holder {
  readonly revision: number;
  /** `namespace/name` of a Service; "" when it is held for something else. */
  readonly owner: string;
}

export class ServiceClaims {
  readonly #store: Store;
  readonly #addresses: RegistryParts;
  readonly #portPrefix: string;

  /** `addresses`: the registry of IPAddress objects. `prefix`: of every key. */
  constructor(store: Store, addresses: RegistryParts, prefix: string) {
    this.#store = store;
    this.#addresses = addresses;
    this.#portPrefix = `${prefix}ranges/servicenodeports/`;
  }

  open(owner: ObjectName): OpenClaim {
    return new OpenClaim(owner);
  }

  address(address: string): Thing {
    const { objects, resource, system } = this.#addresses;
    const name = { namespace: "", name: address };
    return {
      key: objects.storeKey(name),
      value: (owner) => {
        const object = ipAddress(address, owner);
        system.fill(object.metadata);
        return storedBytes(resource.type, object);
      },
      holder: async () => {
        // Asked only about what is taken: too rare to be anybody's cost.
        const current = await objects.read(name, uncounted());
        return current && { revision: current.revision, owner: parentOf(current.bytes) };
      },
    };
  }

  port(port: number): Thing {
    const key = `${this.#portPrefix}${port}`;
    return {
      key,
      value: (owner) => encodeUtf8(cacheKey(owner)),
      holder: async () => {
        const outcome = await this.#store.range({ start: key });
        const kv = outcome.kind === "Range" ? outcome.kvs[0] : undefined;
        return kv && { revision: kv.modRevision, owner: decodeUtf8(kv.value) };
      },
    };
  }

  /** Everything that a Service with this spec has. */
  thingsOf(spec: Readonly<ServiceSpec>): Thing[] {
    return [
      ...addressesOf(spec).map((address) => this.address(address)),
      ...[...portsOf(spec)].map((port) => this.port(port)),
    ];
  }

  /** A guess from what this server has seen; the write will tell. */
  seemsFree(address: string): boolean {
    return this.#addresses.objects.peek({ namespace: "", name: address }) === undefined;
  }

  /** Linearizable. */
  async addressesTaken(): Promise<ReadonlySet<string>> {
    return new Set(await this.#namesUnder(this.#addresses.objects.cache.layout.prefix));
  }

  /** Linearizable. */
  async portsTaken(): Promise<ReadonlySet<number>> {
    return new Set((await this.#namesUnder(this.#portPrefix)).map(Number));
  }

  async #namesUnder(prefix: string): Promise<string[]> {
    const range = { start: prefix, end: prefixEnd(prefix), keysOnly: true };
    const outcome = await this.#store.range(range);
    return outcome.kind === "Range" ? outcome.kvs.map(({ key }) => key.slice(prefix.length)) : [];
  }
}

/** Collects what a write of `owner` takes and gives back; the write succeeds only if all of it is still so. */
export class OpenClaim implements Companions {
  readonly compare: Compare[] = [];
  readonly success: Operation[] = [];
  readonly #owner: ObjectName;

  constructor(owner: ObjectName) {
    this.#owner = owner;
  }

  /** Believed to be free. */
  take(thing: Thing): void {
    const { key } = thing;
    this.compare.push({ key, modRevision: 0 });
    this.success.push({ kind: "Put", key, value: thing.value(this.#owner) });
  }

  /** False, and nothing is claimed, when somebody else has it. */
  async ask(thing: Thing): Promise<boolean> {
    const holder = await thing.holder();
    if (holder === undefined) this.take(thing);
    else if (!this.#isOurs(holder)) return false;
    else this.compare.push({ key: thing.key, modRevision: holder.revision });
    return true;
  }

  /** What somebody else holds by now stays. */
  async giveBack(thing: Thing): Promise<void> {
    const { key } = thing;
    const holder = await thing.holder();
    if (holder === undefined || !this.#isOurs(holder)) return;
    this.compare.push({ key, modRevision: holder.revision });
    this.success.push({ kind: "Delete", key });
  }

  #isOurs({ owner }: Holder): boolean {
    return owner === cacheKey(this.#owner);
  }
}

export function addressesOf({ clusterIP, clusterIPs }: Readonly<ServiceSpec>): string[] {
  const all = clusterIPs?.length ? clusterIPs : [clusterIP ?? ""];
  return all.filter((address) => address !== "" && address !== "None");
}

/** Protocols share a number, so each counts once. */
export function portsOf({ ports, healthCheckNodePort }: Readonly<ServiceSpec>): Set<number> {
  const all = [...(ports ?? []).map(({ nodePort }) => nodePort ?? 0), healthCheckNodePort ?? 0];
  return new Set(all.filter((port) => port !== 0));
}

function ipAddress(address: string, { namespace, name }: ObjectName): KubeObject {
  return {
    kind: "IPAddress",
    apiVersion: "networking.k8s.io/v1",
    metadata: {
      name: address,
      labels: {
        "ipaddress.kubernetes.io/ip-family": address.includes(":") ? "IPv6" : "IPv4",
        "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io",
      },
    },
    spec: { parentRef: { resource: "services", namespace, name } },
  };
}

function parentOf(bytes: Uint8Array): string {
  const {
    group,
    resource,
    namespace = "",
    name = "",
  } = (parseObject(bytes) as IPAddress).spec?.parentRef ?? {};
  return !group && resource === "services" ? cacheKey({ namespace, name }) : "";
}
