// Services keep what was allocated to them when an update leaves it out, and give it back when their type has no use for
// it (upstream: core/service/strategy.go and storage/storage.go). The allocation itself is in allocator.ts.
import type { KubeObject } from "../../../api/object.ts";
import { defaultIPFamilies } from "../../../api/defaults/service-defaults.ts";
import type { Service, ServiceSpec } from "../../../api/types/core-v1.ts";
import { plainStrategy, type Strategy } from "../../strategy.ts";

export const serviceStrategy: Strategy = {
  ...plainStrategy,
  returnsDeleted: true,
  createsOnUpdate: true,
  prepareForUpdate,
};

export const needsClusterIp = ({ type }: ServiceSpec): boolean => type !== "ExternalName";

export const needsNodePorts = ({ type, allocateLoadBalancerNodePorts }: ServiceSpec): boolean =>
  type === "NodePort" || (type === "LoadBalancer" && allocateLoadBalancerNodePorts !== false);

export const needsHealthCheckPort = ({ type, externalTrafficPolicy }: ServiceSpec): boolean =>
  type === "LoadBalancer" && externalTrafficPolicy === "Local";

const hasExternalTraffic = ({ type, externalIPs }: ServiceSpec): boolean =>
  type === "LoadBalancer" ||
  type === "NodePort" ||
  (type === "ClusterIP" && (externalIPs ?? []).length > 0);

function prepareForUpdate(object: KubeObject, oldObject: Readonly<KubeObject>): void {
  const spec = ((object as Service).spec ??= {});
  const old = (oldObject as Service).spec ?? {};
  takeOver(spec, old);
  giveBack(spec, old);
  if (needsClusterIp(spec)) defaultIPFamilies(spec);
}

/** Values that the request left out and that stay useful. In place. */
function takeOver(spec: ServiceSpec, old: Readonly<ServiceSpec>): void {
  if (needsClusterIp(spec) && needsClusterIp(old)) {
    if (!spec.clusterIP && old.clusterIP) spec.clusterIP = old.clusterIP;
    const without = (spec.clusterIPs ?? []).length === 0;
    if (without && spec.clusterIP === old.clusterIP && old.clusterIPs) {
      spec.clusterIPs = [...old.clusterIPs];
    }
    if (spec.ipFamilies === undefined && old.ipFamilies) spec.ipFamilies = [...old.ipFamilies];
    if (spec.ipFamilyPolicy === undefined && old.ipFamilyPolicy !== undefined) {
      spec.ipFamilyPolicy = old.ipFamilyPolicy;
    }
  }
  if (needsNodePorts(spec) && needsNodePorts(old)) takeOverNodePorts(spec, old);
  if (needsHealthCheckPort(spec) && needsHealthCheckPort(old) && old.healthCheckNodePort) {
    spec.healthCheckNodePort ||= old.healthCheckNodePort;
  }
}

/** Ports are known by name; a port number that another port of the request uses is not taken over. */
function takeOverNodePorts(spec: ServiceSpec, old: Readonly<ServiceSpec>): void {
  const before = new Map((old.ports ?? []).map((port) => [port.name ?? "", port.nodePort ?? 0]));
  const ports = spec.ports ?? [];
  const used = new Set(ports.map(({ nodePort }) => nodePort ?? 0));
  for (const port of ports) {
    const known = before.get(port.name ?? "") ?? 0;
    if (port.nodePort || known === 0 || used.has(known)) continue;
    port.nodePort = known;
    used.add(known);
  }
}

/** What only the old type needed goes, unless the request changed it: then validation shall speak. In place. */
function giveBack(spec: ServiceSpec, old: Readonly<ServiceSpec>): void {
  if (
    needsClusterIp(old) &&
    !needsClusterIp(spec) &&
    (spec.clusterIP ?? "") === (old.clusterIP ?? "")
  ) {
    delete spec.clusterIP;
    delete spec.clusterIPs;
    delete spec.ipFamilies;
    delete spec.ipFamilyPolicy;
  }
  if (needsNodePorts(old) && !needsNodePorts(spec) && sameNodePorts(spec, old)) {
    for (const port of spec.ports ?? []) delete port.nodePort;
  }
  if (needsHealthCheckPort(old) && !needsHealthCheckPort(spec)) {
    if (spec.healthCheckNodePort === old.healthCheckNodePort) delete spec.healthCheckNodePort;
  }
  if (old.type === "LoadBalancer" && spec.type !== "LoadBalancer") {
    if (spec.allocateLoadBalancerNodePorts === old.allocateLoadBalancerNodePorts) {
      delete spec.allocateLoadBalancerNodePorts;
    }
    if (spec.loadBalancerClass === old.loadBalancerClass) delete spec.loadBalancerClass;
  }
  if (hasExternalTraffic(old) && !hasExternalTraffic(spec)) {
    if (spec.externalTrafficPolicy === old.externalTrafficPolicy) delete spec.externalTrafficPolicy;
  }
}

/** Every node port of the request was there before. */
function sameNodePorts(spec: ServiceSpec, old: Readonly<ServiceSpec>): boolean {
  const before = new Set((old.ports ?? []).map(({ nodePort }) => nodePort ?? 0));
  return (spec.ports ?? []).every(({ nodePort }) => !nodePort || before.has(nodePort));
}
