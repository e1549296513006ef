// ClusterRoles for the components around an API server: scheduler, controller manager, kubelet, proxy, DNS, monitoring.
// Data only.
import type { PolicyRule } from "../../api/types/rbac-v1.ts";
import {
  type ClusterRoleData,
  allow,
  allowPaths,
  read,
  readWrite,
  writeEvents,
} from "./policy-builder.ts";

const certificates = "certificates.k8s.io";
const storage = "storage.k8s.io";

const approver = (name: string, signer: string): ClusterRoleData => ({
  name: `system:certificates.k8s.io:${name}`,
  rules: [allow("approve", certificates, "signers", signer)],
});

const reviewTokensAndAccess = [
  allow("create", "authentication.k8s.io", "tokenreviews"),
  allow("create", "authorization.k8s.io", "subjectaccessreviews"),
];

/** What a kubelet may do; the node authorizer narrows it to what its pods need. */
export const nodeRules: readonly PolicyRule[] = [
  allow("create", "authentication.k8s.io", "tokenreviews"),
  allow("create", "authorization.k8s.io", "localsubjectaccessreviews subjectaccessreviews"),
  allow(read, "core", "services"),
  allow("create get list watch", "core", "nodes"),
  allow("patch update", "core", "nodes/status"),
  allow("patch update", "core", "nodes"),
  writeEvents,
  allow(read, "core", "pods"),
  allow("create delete", "core", "pods"),
  allow("patch update", "core", "pods/status"),
  allow("create", "core", "pods/eviction"),
  allow(read, "core", "configmaps secrets"),
  allow("get", "core", "persistentvolumeclaims persistentvolumes"),
  allow("get", "core", "endpoints"),
  allow("create get list watch", certificates, "certificatesigningrequests"),
  allow("create delete get patch update", "coordination.k8s.io", "leases"),
  allow("get", storage, "volumeattachments"),
  allow("create", "core", "serviceaccounts/token"),
  allow("get patch update", "core", "persistentvolumeclaims/status"),
  allow(read, storage, "csidrivers"),
  allow("create delete get patch update", storage, "csinodes"),
  allow(read, "node.k8s.io", "runtimeclasses"),
  allow("get", "resource.k8s.io", "resourceclaims"),
  allow("deletecollection", "resource.k8s.io", "resourceslices"),
  allow("get", "core", "serviceaccounts"),
];

export const componentRoles: readonly ClusterRoleData[] = [
  { name: "system:auth-delegator", rules: reviewTokensAndAccess },
  {
    name: "system:certificates.k8s.io:certificatesigningrequests:nodeclient",
    rules: [allow("create", certificates, "certificatesigningrequests/nodeclient")],
  },
  {
    name: "system:certificates.k8s.io:certificatesigningrequests:selfnodeclient",
    rules: [allow("create", certificates, "certificatesigningrequests/selfnodeclient")],
  },
  approver("kube-apiserver-client-approver", "kubernetes.io/kube-apiserver-client"),
  approver("kube-apiserver-client-kubelet-approver", "kubernetes.io/kube-apiserver-client-kubelet"),
  approver("kubelet-serving-approver", "kubernetes.io/kubelet-serving"),
  approver("legacy-unknown-approver", "kubernetes.io/legacy-unknown"),
  {
    name: "system:heapster",
    rules: [
      allow(read, "core", "events namespaces nodes pods"),
      allow(read, "extensions", "deployments"),
    ],
  },
  { name: "system:kube-aggregator", rules: [allow(read, "core", "endpoints services")] },
  {
    name: "system:kube-controller-manager",
    rules: [
      writeEvents,
      allow("create", "coordination.k8s.io", "leases"),
      allow("get update", "coordination.k8s.io", "leases", "kube-controller-manager"),
      allow("create", "core", "secrets serviceaccounts"),
      allow("delete", "core", "secrets"),
      allow("get", "core", "configmaps namespaces secrets serviceaccounts"),
      allow("update", "core", "secrets serviceaccounts"),
      ...reviewTokensAndAccess,
      allow("list watch", "*", "*"),
      allow("create", "core", "serviceaccounts/token"),
    ],
  },
  { name: "system:kube-dns", rules: [allow("list watch", "core", "endpoints services")] },
  {
    name: "system:kube-scheduler",
    rules: [
      writeEvents,
      allow("create", "coordination.k8s.io", "leases"),
      allow("get list update watch", "coordination.k8s.io", "leases", "kube-scheduler"),
      allow(readWrite, "coordination.k8s.io", "leasecandidates"),
      allow(read, "core", "nodes"),
      allow("delete get list watch", "core", "pods"),
      allow("create", "core", "bindings pods/binding"),
      allow("patch update", "core", "pods/status"),
      allow(read, "core", "replicationcontrollers services"),
      allow(read, "apps extensions", "replicasets"),
      allow(read, "apps", "statefulsets"),
      allow(read, "policy", "poddisruptionbudgets"),
      allow(read, "core", "persistentvolumeclaims persistentvolumes"),
      ...reviewTokensAndAccess,
      allow(read, storage, "csinodes"),
      allow(read, storage, "volumeattachments"),
      allow(read, "core", "namespaces"),
      allow(read, storage, "csidrivers"),
      allow(read, storage, "csistoragecapacities"),
      allow(read, "resource.k8s.io", "deviceclasses"),
      allow("get list patch update watch", "resource.k8s.io", "resourceclaims"),
      allow("get list patch update watch", "resource.k8s.io", "resourceclaims/status"),
      allow("update", "core", "pods/finalizers"),
      allow(read, "resource.k8s.io", "resourceslices"),
      allow("create delete", "resource.k8s.io", "resourceclaims"),
      allow("patch update", "resource.k8s.io", "resourceclaims/binding"),
    ],
  },
  {
    name: "system:kubelet-api-admin",
    rules: [
      allow(read, "core", "nodes"),
      allow("proxy", "core", "nodes"),
      allow("*", "core", "nodes/log nodes/metrics nodes/proxy nodes/stats"),
      allow("*", "core", "nodes/configz nodes/healthz nodes/pods"),
    ],
  },
  {
    name: "system:monitoring",
    rules: [
      allowPaths(
        "get",
        `/flagz /healthz /healthz/* /livez /livez/* /metrics /metrics/slis /readyz /readyz/*
         /statusz`,
      ),
      allow("get", "core", "nodes/metrics"),
    ],
  },
  {
    name: "system:node",
    rules: nodeRules,
  },
  {
    name: "system:node-bootstrapper",
    rules: [allow("create get list watch", certificates, "certificatesigningrequests")],
  },
  {
    name: "system:node-problem-detector",
    rules: [allow("get", "core", "nodes"), allow("patch", "core", "nodes/status"), writeEvents],
  },
  {
    name: "system:node-proxier",
    rules: [
      allow("list watch", "core", "endpoints services"),
      allow(read, "core", "nodes"),
      writeEvents,
      allow("list watch", "networking.k8s.io", "servicecidrs"),
      allow("list watch", "discovery.k8s.io", "endpointslices"),
    ],
  },
  {
    name: "system:persistent-volume-provisioner",
    rules: [
      allow("create delete get list watch", "core", "persistentvolumes"),
      allow("get list update watch", "core", "persistentvolumeclaims"),
      allow(read, storage, "storageclasses"),
      allow("watch", "core", "events"),
      writeEvents,
    ],
  },
  {
    name: "system:service-account-issuer-discovery",
    rules: [
      allowPaths(
        "get",
        `/.well-known/openid-configuration /.well-known/openid-configuration/ /openid/v1/jwks
         /openid/v1/jwks/`,
      ),
    ],
  },
  {
    name: "system:volume-scheduler",
    rules: [
      allow("get list patch update watch", "core", "persistentvolumes"),
      allow(read, storage, "storageclasses"),
      allow("get list patch update watch", "core", "persistentvolumeclaims"),
    ],
  },
];
