// Defaults of the networking and discovery groups (upstream: pkg/apis/networking/v1/defaults.go,
// pkg/apis/discovery/v1/defaults.go).
import type { EndpointSlice } from "../types/discovery-v1.ts";
import type { IngressClass, NetworkPolicy } from "../types/networking-v1.ts";

/** Egress is policed only when the policy says something about it. */
export function defaultNetworkPolicy(policy: NetworkPolicy): void {
  const spec = (policy.spec ??= { podSelector: {} });
  if ((spec.policyTypes ?? []).length === 0) {
    spec.policyTypes = (spec.egress ?? []).length > 0 ? ["Ingress", "Egress"] : ["Ingress"];
  }
  for (const rule of [...(spec.ingress ?? []), ...(spec.egress ?? [])]) {
    for (const port of rule.ports ?? []) port.protocol ??= "TCP";
  }
}

export function defaultIngressClass(ingressClass: IngressClass): void {
  if (ingressClass.spec?.parameters) ingressClass.spec.parameters.scope ??= "Cluster";
}

export function defaultEndpointSlice(slice: EndpointSlice): void {
  for (const port of slice.ports ?? []) {
    port.name ??= "";
    port.protocol ??= "TCP";
  }
}
