// The `kubernetes` Service in default through which pods find the API server, its endpoints, and the address range it
// lives in (upstream: controlplane/controller/{kubernetesservice,defaultservicecidr}). Pure.
import type { KubeObject } from "../../api/object.ts";

export interface KubernetesServiceOptions {
  readonly advertiseAddress: string;
  readonly advertisePort: number;
  /** `10.96.0.0/16`, or an IPv6 range. */
  readonly serviceClusterIpRange: string;
  /** RFC 3339, for conditions. */
  readonly timestamp: string;
}

const name = "kubernetes";

export function kubernetesService(options: KubernetesServiceOptions): KubeObject {
  const address = firstAddress(options.serviceClusterIpRange);
  return {
    kind: "Service",
    apiVersion: "v1",
    metadata: {
      name,
      namespace: "default",
      labels: { component: "apiserver", provider: "kubernetes" },
    },
    spec: {
      ports: [{ name: "https", protocol: "TCP", port: 443, targetPort: options.advertisePort }],
      clusterIP: address,
      clusterIPs: [address],
      type: "ClusterIP",
      sessionAffinity: "None",
      ipFamilies: [familyOf(address)],
      ipFamilyPolicy: "SingleStack",
      internalTrafficPolicy: "Cluster",
    },
  };
}

export function kubernetesEndpoints(options: KubernetesServiceOptions): KubeObject {
  return {
    kind: "Endpoints",
    apiVersion: "v1",
    metadata: {
      name,
      namespace: "default",
      labels: { "endpointslice.kubernetes.io/skip-mirror": "true" },
    },
    subsets: [
      {
        addresses: [{ ip: options.advertiseAddress }],
        ports: [{ name: "https", port: options.advertisePort, protocol: "TCP" }],
      },
    ],
  };
}

export function kubernetesEndpointSlice(options: KubernetesServiceOptions): KubeObject {
  return {
    kind: "EndpointSlice",
    apiVersion: "discovery.k8s.io/v1",
    metadata: {
      name,
      namespace: "default",
      labels: { "kubernetes.io/service-name": name },
    },
    addressType: familyOf(options.advertiseAddress),
    endpoints: [{ addresses: [options.advertiseAddress], conditions: { ready: true } }],
    ports: [{ name: "https", protocol: "TCP", port: options.advertisePort }],
  };
}

export function kubernetesServiceCidr(options: KubernetesServiceOptions): KubeObject {
  const ready = {
    type: "Ready",
    status: "True",
    lastTransitionTime: options.timestamp,
    reason: "",
    message: "Kubernetes default Service CIDR is ready",
  };
  return {
    kind: "ServiceCIDR",
    apiVersion: "networking.k8s.io/v1",
    metadata: { name, finalizers: ["networking.k8s.io/service-cidr-finalizer"] },
    spec: { cidrs: [options.serviceClusterIpRange] },
    status: { conditions: [ready] },
  };
}

/** `10.96.0.0/16` -> `10.96.0.1`, `fd00:1::/112` -> `fd00:1::1`. Throws Error for anything else. */
export function firstAddress(range: string): string {
  const v4 = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})\/\d{1,2}$/.exec(range);
  if (v4 !== null) {
    // The network address of a service range never ends in 255, so nothing carries over.
    return [v4[1], v4[2], v4[3], Number(v4[4]) + 1].join(".");
  }
  const v6 = /^([0-9a-f:]*::)\/\d{1,3}$/i.exec(range);
  if (v6 !== null) return `${v6[1] ?? ""}1`;
  throw new Error(`${range} is no range of service addresses such as 10.96.0.0/16`);
}

const familyOf = (address: string): "IPv4" | "IPv6" => (address.includes(":") ? "IPv6" : "IPv4");
