// Cluster IPs and node ports: chosen by chance or as asked, never twice. What is taken is decided by the keys that claims.ts
// writes with the Service; a choice that lost to another writer is made anew (upstream: core/service/storage/alloc.go and
// ipallocator/ipallocator.go).
import type { RandomStream } from "../../../host/host.ts";
import { internalError, invalid } from "../../../api/meta/errors.ts";
import { type FieldError, invalidValue } from "../../../api/meta/field-error.ts";
import type { KubeObject } from "../../../api/object.ts";
import type { Service, ServicePort, ServiceSpec } from "../../../api/types/core-v1.ts";
import type { Companions } from "../../generic/object-store.ts";
import type { Reservations, Reserved } from "../../generic/registry-parts.ts";
import {
  addressBand,
  type AddressRange,
  formatAddress,
  parseAddress,
  type PortRange,
  portBand,
} from "./address-range.ts";
import { addressesOf, type OpenClaim, portsOf, type ServiceClaims } from "./claims.ts";
import { needsClusterIp, needsHealthCheckPort, needsNodePorts } from "./strategy.ts";
import { copyJson } from "../../../std/json.ts";
import type { ObjectName } from "../../../watchcache/object-key.ts";

export interface ServiceRanges {
  readonly addresses: AddressRange;
  readonly nodePorts: PortRange;
}

/** Picks by chance before the whole range is looked through. */
const chancePicks = 32;
const headless = "None";

/** One write of a Service under way. */
interface Change {
  /** Private to it. */
  readonly service: Service;
  readonly spec: ServiceSpec;
  readonly before: Readonly<ServiceSpec>;
  readonly claim: OpenClaim;
}

export class ServiceAllocator implements Reservations {
  readonly #random: RandomStream;
  readonly #claims: ServiceClaims;
  readonly #ranges: ServiceRanges;

  constructor(random: RandomStream, claims: ServiceClaims, ranges: ServiceRanges) {
    this.#random = random;
    this.#claims = claims;
    this.#ranges = ranges;
  }

  async reserve(given: KubeObject, old: Readonly<KubeObject> | undefined): Promise<Reserved> {
    const object = copyJson(given);
    const service = object as Service;
    const spec = (service.spec ??= {});
    const before = (old as Readonly<Service> | undefined)?.spec ?? {};
    const claim = this.#claims.open(nameOf(object));
    const change: Change = { service, spec, before, claim };
    if (needsClusterIp(spec)) await this.#reserveAddresses(change);
    await this.#reservePorts(change);
    await this.#giveBack(claim, before, spec);
    return { object, companions: claim };
  }

  async release(object: Readonly<KubeObject>): Promise<Companions> {
    const claim = this.#claims.open(nameOf(object));
    await this.#giveBack(claim, (object as Readonly<Service>).spec ?? {}, {});
    return claim;
  }

  /** What one spec has and the next has not. */
  async #giveBack(
    claim: OpenClaim,
    before: Readonly<ServiceSpec>,
    after: Readonly<ServiceSpec>,
  ): Promise<void> {
    const kept = new Set(this.#claims.thingsOf(after).map(({ key }) => key));
    const given = this.#claims.thingsOf(before).filter(({ key }) => !kept.has(key));
    await Promise.all(given.map((thing) => claim.giveBack(thing)));
  }

  async #reserveAddresses({ service, spec, before, claim }: Change): Promise<void> {
    const asked = spec.clusterIP || spec.clusterIPs?.[0] || "";
    if (asked !== headless && spec.ipFamilies?.includes("IPv6") === true) {
      const field = `spec.ipFamilies[${spec.ipFamilies.indexOf("IPv6")}]`;
      throw refused(service, invalidValue(field, "IPv6", "not configured on this cluster"));
    }
    spec.clusterIP = asked === "" ? await this.#chooseAddress() : asked;
    if ((spec.clusterIPs ?? []).length === 0) spec.clusterIPs = [spec.clusterIP];
    if (asked === "") claim.take(this.#claims.address(spec.clusterIP));
    else await this.#askAddresses({ service, spec, before, claim });
  }

  async #askAddresses({ service, spec, before, claim }: Change): Promise<void> {
    const own = new Set(addressesOf(before));
    for (const [index, address] of addressesOf(spec).entries()) {
      if (own.has(address)) continue;
      const why = await this.#whyNotAddress(address, claim);
      if (why === undefined) continue;
      const detail = `failed to allocate IP ${address}: ${why}`;
      throw refused(service, invalidValue(`spec.clusterIPs[${index}]`, address, detail));
    }
  }

  /** Claims it when nothing is in the way. */
  async #whyNotAddress(text: string, claim: OpenClaim): Promise<string | undefined> {
    const { first, size, cidr } = this.#ranges.addresses;
    const address = parseAddress(text);
    if (address === undefined || address < first || address >= first + size) {
      return `the provided IP (${text}) is not in the valid range. The range of valid IPs is ${cidr}`;
    }
    const isFree = await claim.ask(this.#claims.address(text));
    return isFree ? undefined : "provided IP is already allocated";
  }

  async #chooseAddress(): Promise<string> {
    const { first, size } = this.#ranges.addresses;
    const band = addressBand(size);
    for (let pick = 0; pick < chancePicks; pick++) {
      const text = formatAddress(first + band + this.#random.below(size - band));
      if (this.#claims.seemsFree(text)) return text;
    }
    const taken = await this.#claims.addressesTaken();
    for (const offset of inOrder(size, band, this.#random)) {
      const text = formatAddress(first + offset);
      if (!taken.has(text)) return text;
    }
    throw internalError("failed to allocate a serviceIP: range is full");
  }

  async #reservePorts({ service, spec, before, claim }: Change): Promise<void> {
    const own = portsOf(before);
    const ask = async (field: string, port: number | undefined): Promise<void> => {
      if (!port || own.has(port)) return;
      const why = await this.#whyNotPort(port, claim);
      if (why !== undefined) throw refused(service, invalidValue(field, port, why));
      own.add(port);
    };
    for (const [index, { nodePort }] of (spec.ports ?? []).entries()) {
      await ask(`spec.ports[${index}].nodePort`, nodePort);
    }
    await ask("spec.healthCheckNodePort", spec.healthCheckNodePort);
    await this.#choosePorts(spec, own, claim);
  }

  /** Claims it when nothing is in the way. */
  async #whyNotPort(port: number, claim: OpenClaim): Promise<string | undefined> {
    const { first, last } = this.#ranges.nodePorts;
    if (port < first || port > last) {
      return `provided port is not in the valid range. The range of valid ports is ${first}-${last}`;
    }
    const isFree = await claim.ask(this.#claims.port(port));
    return isFree ? undefined : "provided port is already allocated";
  }

  /** In place, where the spec needs ports and has none. */
  async #choosePorts(spec: ServiceSpec, own: ReadonlySet<number>, claim: OpenClaim): Promise<void> {
    const ports = needsNodePorts(spec) ? (spec.ports ?? []) : [];
    const open = ports.filter(({ nodePort }) => !nodePort);
    const needsHealthCheck = needsHealthCheckPort(spec) && !spec.healthCheckNodePort;
    if (open.length === 0 && !needsHealthCheck) return;
    const free = this.#freePorts(new Set([...own, ...(await this.#claims.portsTaken())]));
    const choose = (): number => {
      const { value: port } = free.next();
      if (port === undefined) throw internalError("failed to allocate a nodePort: range is full");
      claim.take(this.#claims.port(port));
      return port;
    };
    for (const port of open) port.nodePort = sharedPort(port, ports) ?? choose();
    if (needsHealthCheck) spec.healthCheckNodePort = choose();
  }

  *#freePorts(taken: ReadonlySet<number>): Generator<number, undefined> {
    const { first, last } = this.#ranges.nodePorts;
    const size = last - first + 1;
    for (const offset of inOrder(size, portBand(size), this.#random)) {
      if (!taken.has(first + offset)) yield first + offset;
    }
    return undefined;
  }
}

/** First around what lies above the band from a random place, then through what is kept for those who ask. */
function* inOrder(size: number, band: number, random: RandomStream): Generator<number> {
  const upper = size - band;
  const start = random.below(upper);
  for (let step = 0; step < upper; step++) yield band + ((start + step) % upper);
  for (let offset = 0; offset < band; offset++) yield offset;
}

function nameOf({ metadata }: Readonly<KubeObject>): ObjectName {
  return { namespace: metadata.namespace ?? "", name: metadata.name ?? "" };
}

function refused(service: Service, error: FieldError): Error {
  return invalid({ group: "", kind: "Service" }, service.metadata.name ?? "", [error]);
}

/** The same port under another protocol shares its node port. */
function sharedPort(port: ServicePort, ports: readonly ServicePort[]): number | undefined {
  const twin = ports.find(
    (other) =>
      other.nodePort &&
      other.port === port.port &&
      (other.protocol ?? "") !== (port.protocol ?? ""),
  );
  return twin?.nodePort;
}
