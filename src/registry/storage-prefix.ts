// Where kube-apiserver keeps each resource, so that one etcd can serve both: `/registry/<resource>/`, with a few old
// names, and group and resource for what was a server of its own once (upstream:
// pkg/kubeapiserver/default_storage_factory_builder.go).
import { qualified } from "../api/meta/errors.ts";

const oldNames: Readonly<Record<string, string>> = {
  endpoints: "services/endpoints",
  nodes: "minions",
  replicationcontrollers: "controllers",
  services: "services/specs",
  "ingresses.networking.k8s.io": "ingress",
};

const byGroup: ReadonlySet<string> = new Set(["apiextensions.k8s.io", "apiregistration.k8s.io"]);

/** Without slashes at the ends. */
export function resourcePrefix(group: string, resource: string): string {
  if (byGroup.has(group)) return `${group}/${resource}`;
  return oldNames[qualified(group, resource)] ?? resource;
}
