// ClusterRoles for people: cluster-admin, the aggregated admin, edit and view with the parts they are made of, and what
// every user may see. Data only.
import {
  type ClusterRoleData,
  allow,
  allowPaths,
  read,
  readWrite,
  write,
} from "./policy-builder.ts";

const toAdmin = "rbac.authorization.k8s.io/aggregate-to-admin";
const toEdit = "rbac.authorization.k8s.io/aggregate-to-edit";
const toView = "rbac.authorization.k8s.io/aggregate-to-view";

export const userRoles: readonly ClusterRoleData[] = [
  { name: "cluster-admin", rules: [allow("*", "*", "*"), allowPaths("*", "*")] },
  { name: "admin", aggregates: toAdmin, rules: [] },
  { name: "edit", aggregates: toEdit, labels: { [toAdmin]: "true" }, rules: [] },
  { name: "view", aggregates: toView, labels: { [toEdit]: "true" }, rules: [] },
  {
    name: "system:aggregate-to-admin",
    labels: { [toAdmin]: "true" },
    rules: [
      allow("create", "authorization.k8s.io", "localsubjectaccessreviews"),
      allow(readWrite, "rbac.authorization.k8s.io", "rolebindings roles"),
    ],
  },
  {
    name: "system:aggregate-to-edit",
    labels: { [toEdit]: "true" },
    rules: [
      allow(
        read,
        "core",
        "pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy",
      ),
      allow("impersonate", "core", "serviceaccounts"),
      allow(write, "core", "pods pods/attach pods/exec pods/portforward pods/proxy"),
      allow("create", "core", "pods/eviction"),
      allow(
        write,
        "core",
        `configmaps persistentvolumeclaims replicationcontrollers replicationcontrollers/scale
         secrets serviceaccounts services services/proxy`,
      ),
      allow("create", "core", "serviceaccounts/token"),
      allow(write, "core events.k8s.io", "events"),
      allow(
        write,
        "apps",
        `daemonsets deployments deployments/rollback deployments/scale replicasets
         replicasets/scale statefulsets statefulsets/scale`,
      ),
      allow(write, "autoscaling", "horizontalpodautoscalers"),
      allow(write, "batch", "cronjobs jobs"),
      allow(
        write,
        "extensions",
        `daemonsets deployments deployments/rollback deployments/scale ingresses networkpolicies
         replicasets replicasets/scale replicationcontrollers/scale`,
      ),
      allow(write, "policy", "poddisruptionbudgets"),
      allow(write, "networking.k8s.io", "ingresses networkpolicies"),
      allow(readWrite, "coordination.k8s.io", "leases"),
      allow(write, "resource.k8s.io", "resourceclaims resourceclaimtemplates"),
    ],
  },
  {
    name: "system:aggregate-to-view",
    labels: { [toView]: "true" },
    rules: [
      allow(
        read,
        "core",
        `configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods
         replicationcontrollers replicationcontrollers/scale serviceaccounts services
         services/status`,
      ),
      allow(
        read,
        "core",
        `bindings limitranges namespaces/status pods/log pods/status
         replicationcontrollers/status resourcequotas resourcequotas/status`,
      ),
      allow(read, "core", "namespaces"),
      allow(read, "core events.k8s.io", "events"),
      allow(read, "discovery.k8s.io", "endpointslices"),
      allow(
        read,
        "apps",
        `controllerrevisions daemonsets daemonsets/status deployments deployments/scale
         deployments/status replicasets replicasets/scale replicasets/status statefulsets
         statefulsets/scale statefulsets/status`,
      ),
      allow(read, "autoscaling", "horizontalpodautoscalers horizontalpodautoscalers/status"),
      allow(read, "batch", "cronjobs cronjobs/status jobs jobs/status"),
      allow(
        read,
        "extensions",
        `daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses
         ingresses/status networkpolicies replicasets replicasets/scale replicasets/status
         replicationcontrollers/scale`,
      ),
      allow(read, "policy", "poddisruptionbudgets poddisruptionbudgets/status"),
      allow(read, "networking.k8s.io", "ingresses ingresses/status networkpolicies"),
      allow(read, "resource.k8s.io", "resourceclaims resourceclaims/status resourceclaimtemplates"),
    ],
  },
  {
    // Of metrics-server's manifest.
    name: "system:aggregated-metrics-reader",
    labels: { [toAdmin]: "true", [toEdit]: "true", [toView]: "true" },
    rules: [allow(read, "metrics.k8s.io", "pods nodes")],
  },
  {
    name: "system:basic-user",
    rules: [
      allow("create", "authorization.k8s.io", "selfsubjectaccessreviews selfsubjectrulesreviews"),
      allow("create", "authentication.k8s.io", "selfsubjectreviews"),
    ],
  },
  {
    name: "system:discovery",
    rules: [
      allowPaths(
        "get",
        `/api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version /version/`,
      ),
    ],
  },
  {
    name: "system:public-info-viewer",
    rules: [allowPaths("get", "/healthz /livez /readyz /version /version/")],
  },
];
