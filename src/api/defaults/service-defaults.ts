// Defaults of Service that need no allocator (upstream: pkg/apis/core/v1/defaults.go, and for IP families
// pkg/registry/core/service/storage/alloc.go in a single-stack IPv4 cluster).
import type { Service, ServiceSpec } from "../types/core-v1.ts";

const clientIPTimeoutSeconds = 10_800;

export function defaultService(service: Service): void {
  const spec = (service.spec ??= {});
  spec.type ||= "ClusterIP";
  defaultSessionAffinity(spec);
  for (const port of spec.ports ?? []) {
    port.protocol ||= "TCP";
    if (port.targetPort === undefined || port.targetPort === 0 || port.targetPort === "") {
      port.targetPort = port.port;
    }
  }
  if (isExternallyAccessible(spec)) spec.externalTrafficPolicy ||= "Cluster";
  if (spec.type !== "ExternalName") spec.internalTrafficPolicy ??= "Cluster";
  if (spec.type === "LoadBalancer") {
    spec.allocateLoadBalancerNodePorts ??= true;
    for (const ingress of service.status?.loadBalancer?.ingress ?? []) {
      if (ingress.ip !== undefined && ingress.ip !== "") ingress.ipMode ??= "VIP";
    }
  }
}

/**
 * The IP families of a service about to get cluster IPs. A headless service without selector is promised to both
 * families whatever the cluster has, since its endpoints are someone else's.
 */
export function defaultIPFamilies(spec: ServiceSpec): void {
  if (spec.type === "ExternalName") return;
  const headlessAlone = spec.clusterIP === "None" && Object.keys(spec.selector ?? {}).length === 0;
  spec.ipFamilyPolicy ??= headlessAlone ? "RequireDualStack" : "SingleStack";
  const first = spec.clusterIP?.includes(":") === true ? "IPv6" : "IPv4";
  if ((spec.ipFamilies ?? []).length === 0) spec.ipFamilies = [first];
  if (headlessAlone && spec.ipFamilyPolicy !== "SingleStack" && spec.ipFamilies?.length === 1) {
    spec.ipFamilies.push(spec.ipFamilies[0] === "IPv4" ? "IPv6" : "IPv4");
  }
}

function defaultSessionAffinity(spec: ServiceSpec): void {
  spec.sessionAffinity ||= "None";
  if (spec.sessionAffinity === "None") delete spec.sessionAffinityConfig;
  if (spec.sessionAffinity === "ClientIP") {
    const config = (spec.sessionAffinityConfig ??= {});
    (config.clientIP ??= {}).timeoutSeconds ??= clientIPTimeoutSeconds;
  }
}

function isExternallyAccessible(spec: ServiceSpec): boolean {
  if (spec.type === "LoadBalancer" || spec.type === "NodePort") return true;
  return spec.type === "ClusterIP" && (spec.externalIPs ?? []).length > 0;
}
