// One APIService for each group version that this server serves itself, with the priorities by which discovery orders
// them (upstream: kube-aggregator's automatic registration). Data only.
import type { KubeObject } from "../../api/object.ts";

/** Group, version, groupPriorityMinimum, versionPriority. apiregistration.k8s.io itself has no APIService. */
const served: readonly (readonly [string, string, number, number])[] = [
  ["", "v1", 18000, 1],
  ["apps", "v1", 17800, 15],
  ["events.k8s.io", "v1", 17750, 15],
  ["authentication.k8s.io", "v1", 17700, 15],
  ["authorization.k8s.io", "v1", 17600, 15],
  ["autoscaling", "v1", 17500, 15],
  ["autoscaling", "v2", 17500, 30],
  ["batch", "v1", 17400, 15],
  ["certificates.k8s.io", "v1", 17300, 15],
  ["networking.k8s.io", "v1", 17200, 15],
  ["policy", "v1", 17100, 15],
  ["rbac.authorization.k8s.io", "v1", 17000, 15],
  ["storage.k8s.io", "v1", 16800, 15],
  ["apiextensions.k8s.io", "v1", 16700, 15],
  ["admissionregistration.k8s.io", "v1", 16700, 15],
  ["scheduling.k8s.io", "v1", 16600, 15],
  ["coordination.k8s.io", "v1", 16500, 15],
  ["node.k8s.io", "v1", 16300, 15],
  ["discovery.k8s.io", "v1", 16200, 15],
  ["resource.k8s.io", "v1", 16200, 21],
  ["flowcontrol.apiserver.k8s.io", "v1", 16100, 21],
  // As metrics-server registers itself.
  ["metrics.k8s.io", "v1beta1", 100, 100],
];

/** `timestamp`: RFC 3339, for the Available condition. */
export function apiServices(timestamp: string): KubeObject[] {
  return served.map(([group, version, groupPriorityMinimum, versionPriority]) => ({
    kind: "APIService",
    apiVersion: "apiregistration.k8s.io/v1",
    metadata: {
      name: `${version}.${group}`,
      labels: { "kube-aggregator.kubernetes.io/automanaged": "onstart" },
    },
    spec: {
      ...(group === "" ? {} : { group }),
      version,
      groupPriorityMinimum,
      versionPriority,
    },
    status: {
      conditions: [
        {
          type: "Available",
          status: "True",
          lastTransitionTime: timestamp,
          reason: "Local",
          message: "Local APIServices are always available",
        },
      ],
    },
  }));
}
