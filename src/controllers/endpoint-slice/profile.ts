// What EndpointSlices of this controller have in common (upstream: kube-controller-manager's flags and
// staging/src/k8s.io/endpointslice).

export const endpointSliceProfile = {
  /** --max-endpoints-per-slice */
  endpointsPerSliceMax: 100,
  /** --concurrent-service-endpoint-syncs */
  workers: 5,
} as const;

export const serviceNameLabel = "kubernetes.io/service-name";
export const managedByLabel = "endpointslice.kubernetes.io/managed-by";
export const headlessLabel = "service.kubernetes.io/headless";
export const managedBy = "endpointslice-controller.k8s.io";
export const zoneLabel = "topology.kubernetes.io/zone";
