// Cluster IPs and node ports: chosen by chance or as asked, never twice. What is taken is read from the services in the
// watch cache, by index, plus the claims of writes that the cache does not show yet; nothing else is kept
// (upstream: core/service/storage/alloc.go; there the ranges are stored objects).
import type { RandomStream } from "../../../host/host.ts";
import { internalError, invalid } from "../../../api/meta/errors.ts";
import { type FieldError, invalidValue } from "../../../api/meta/field-error.ts";
import type { KubeObject } from "../../../api/object.ts";
import type { Service, ServicePort, ServiceSpec } from "../../../api/types/core-v1.ts";
import type { ResourceCache } from "../../../watchcache/resource-cache.ts";
import { parseObject } from "../../generic/object-bytes.ts";
import { cacheKey } from "../../generic/object-store.ts";
import type { Claim, Reservations } from "../../generic/registry-parts.ts";
import {
  addressBand,
  type AddressRange,
  formatAddress,
  parseAddress,
  type PortRange,
  portBand,
} from "./address-range.ts";
import { ClaimTable, type OpenClaim } from "./claim-table.ts";
import { needsClusterIp, needsHealthCheckPort, needsNodePorts } from "./strategy.ts";

export interface ServiceRanges {
  readonly addresses: AddressRange;
  readonly nodePorts: PortRange;
}

/** Picks by chance before the whole range is looked through. */
const chancePicks = 32;
const headless = "None";

export class ServiceAllocator implements Reservations {
  readonly #random: RandomStream;
  readonly #cache: ResourceCache;
  readonly #ranges: ServiceRanges;
  readonly #claims: ClaimTable;

  constructor(random: RandomStream, cache: ResourceCache, ranges: ServiceRanges) {
    this.#random = random;
    this.#cache = cache;
    this.#ranges = ranges;
    this.#claims = new ClaimTable(cache);
  }

  async reserve(object: KubeObject, old: Readonly<KubeObject> | undefined): Promise<Claim> {
    const service = object as Service;
    const spec = service.spec ?? {};
    const before = (old as Readonly<Service> | undefined)?.spec ?? {};
    const { namespace = "", name = "" } = object.metadata;
    const claim = this.#claims.open(cacheKey({ namespace, name }));
    try {
      if (needsClusterIp(spec)) await this.#reserveAddress(service, before, claim);
      if (needsNodePorts(spec) || needsHealthCheckPort(spec)) {
        this.#reservePorts(service, before, claim);
      }
      return claim;
    } catch (error) {
      claim.release();
      throw error;
    }
  }

  async #reserveAddress(
    service: Service,
    before: Readonly<ServiceSpec>,
    claim: OpenClaim,
  ): Promise<void> {
    const spec = service.spec!;
    const asked = spec.clusterIP || spec.clusterIPs?.[0] || "";
    if (asked !== headless && spec.ipFamilies?.includes("IPv6") === true) {
      const field = `spec.ipFamilies[${spec.ipFamilies.indexOf("IPv6")}]`;
      throw refused(service, invalidValue(field, "IPv6", "not configured on this cluster"));
    }
    const address = asked === "" ? await this.#chooseAddress(claim) : asked;
    spec.clusterIP = address;
    if ((spec.clusterIPs ?? []).length === 0) spec.clusterIPs = [address];
    if (asked === "" || asked === headless || asked === before.clusterIP) return;
    const why = await this.#whyNotAddress(asked, claim);
    if (why !== undefined) {
      const detail = `failed to allocate IP ${asked}: ${why}`;
      throw refused(service, invalidValue("spec.clusterIPs[0]", asked, detail));
    }
    claim.take(asked);
  }

  async #whyNotAddress(text: string, claim: OpenClaim): Promise<string | undefined> {
    const { first, size, cidr } = this.#ranges.addresses;
    const address = parseAddress(text);
    if (address === undefined || address < first || address >= first + size) {
      return `the provided IP (${text}) is not in the valid range. The range of valid IPs is ${cidr}`;
    }
    if (!claim.isFree(text) || (await this.#isUsed(text, claim.owner))) {
      return "provided IP is already allocated";
    }
    return undefined;
  }

  async #chooseAddress(claim: OpenClaim): Promise<string> {
    const { first, size } = this.#ranges.addresses;
    const band = addressBand(size);
    for (let pick = 0; pick < chancePicks; pick++) {
      const text = formatAddress(first + band + this.#random.below(size - band));
      if (claim.isFree(text) && !(await this.#isUsed(text, claim.owner)) && claim.take(text)) {
        return text;
      }
    }
    const used = new Set(this.#specs(claim.owner).flatMap(({ clusterIPs }) => clusterIPs ?? []));
    for (let step = 0; step < size; step++) {
      const text = formatAddress(first + ((band + step) % size));
      if (!used.has(text) && claim.isFree(text) && claim.take(text)) return text;
    }
    throw internalError("failed to allocate a serviceIP: range is full");
  }

  async #isUsed(address: string, owner: string): Promise<boolean> {
    const outcome = await this.#cache.list({
      selection: {
        namespace: "",
        labels: [],
        fields: [{ field: "spec.clusterIP", operator: "=", value: address }],
      },
      resourceVersion: 0,
      match: "NotOlderThan",
      limit: 0,
    });
    if (outcome.kind !== "List") return false;
    for (const { key } of outcome.items) if (key !== owner) return true;
    return false;
  }

  #reservePorts(service: Service, before: Readonly<ServiceSpec>, claim: OpenClaim): void {
    const spec = service.spec!;
    const own = new Set(portsOf(before));
    const used = new Set(this.#specs(claim.owner).flatMap((other) => portsOf(other)));
    const isFree = (port: number): boolean => !used.has(port) && claim.isFree(String(port));
    const take = (field: string, port: number): void => {
      if (own.has(port)) return;
      const why = this.#whyNotPort(port, isFree);
      if (why !== undefined) throw refused(service, invalidValue(field, port, why));
      claim.take(String(port));
      own.add(port);
    };
    if (needsNodePorts(spec)) {
      for (const [index, port] of (spec.ports ?? []).entries()) {
        if (port.nodePort) take(`spec.ports[${index}].nodePort`, port.nodePort);
      }
      for (const port of spec.ports ?? []) {
        port.nodePort ||= sharedPort(port, spec.ports!) ?? this.#choosePort(claim, own, isFree);
      }
    }
    if (!needsHealthCheckPort(spec)) return;
    if (spec.healthCheckNodePort) take("spec.healthCheckNodePort", spec.healthCheckNodePort);
    else spec.healthCheckNodePort = this.#choosePort(claim, own, isFree);
  }

  #whyNotPort(port: number, isFree: (port: number) => boolean): string | undefined {
    const { first, last } = this.#ranges.nodePorts;
    if (port < first || port > last) {
      return `provided port is not in the valid range. The range of valid ports is ${first}-${last}`;
    }
    return isFree(port) ? undefined : "provided port is already allocated";
  }

  #choosePort(claim: OpenClaim, own: Set<number>, isFree: (port: number) => boolean): number {
    const { first, last } = this.#ranges.nodePorts;
    const size = last - first + 1;
    const band = portBand(size);
    const start = this.#random.below(size - band);
    for (let step = 0; step < size; step++) {
      const upper = size - band;
      // First around the upper band from a random place, then through what is kept for choice.
      const offset = step < upper ? band + ((start + step) % upper) : step - upper;
      const port = first + offset;
      if (own.has(port) || !isFree(port)) continue;
      claim.take(String(port));
      own.add(port);
      return port;
    }
    throw internalError("failed to allocate a nodePort: range is full");
  }

  /** Of all other services. */
  #specs(owner: string): ServiceSpec[] {
    const specs: ServiceSpec[] = [];
    for (const { key, bytes } of this.#cache.peekAll("")) {
      if (key !== owner) specs.push((parseObject(bytes) as Service).spec ?? {});
    }
    return specs;
  }
}

function refused(service: Service, error: FieldError): Error {
  return invalid({ group: "", kind: "Service" }, service.metadata.name ?? "", [error]);
}

function portsOf(spec: Readonly<ServiceSpec>): number[] {
  const ports = (spec.ports ?? []).map(({ nodePort }) => nodePort ?? 0);
  return [...ports, spec.healthCheckNodePort ?? 0].filter((port) => port !== 0);
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
