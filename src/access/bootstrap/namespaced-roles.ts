// Roles and their bindings in kube-system and kube-public. Data only.
import {
  type BindingData,
  type RoleData,
  account,
  allow,
  read,
  user,
  writeEvents,
} from "./policy-builder.ts";

const system = "kube-system";

const leaderLocking = (component: string): RoleData => ({
  namespace: system,
  name: `system::leader-locking-${component}`,
  rules: [
    allow("create get list update watch", "coordination.k8s.io", "leases"),
    allow("create get list update watch", "coordination.k8s.io", "leasecandidates"),
  ],
});

export const namespacedRoles: readonly RoleData[] = [
  {
    namespace: system,
    name: "extension-apiserver-authentication-reader",
    rules: [allow(read, "core", "configmaps", "extension-apiserver-authentication")],
  },
  leaderLocking("kube-controller-manager"),
  leaderLocking("kube-scheduler"),
  {
    namespace: system,
    name: "system:controller:bootstrap-signer",
    rules: [allow(read, "core", "secrets")],
  },
  {
    namespace: system,
    name: "system:controller:cloud-provider",
    rules: [allow("create get list watch", "core", "configmaps")],
  },
  {
    namespace: system,
    name: "system:controller:token-cleaner",
    rules: [allow("delete get list watch", "core", "secrets"), writeEvents],
  },
  {
    namespace: "kube-public",
    name: "system:controller:bootstrap-signer",
    rules: [
      allow(read, "core", "configmaps"),
      allow("update", "core", "configmaps", "cluster-info"),
      writeEvents,
    ],
  },
];

export const namespacedBindings: readonly BindingData[] = [
  {
    namespace: system,
    name: "system::extension-apiserver-authentication-reader",
    role: "extension-apiserver-authentication-reader",
    subjects: [user("system:kube-controller-manager"), user("system:kube-scheduler")],
  },
  {
    namespace: system,
    name: "system::leader-locking-kube-controller-manager",
    subjects: [
      user("system:kube-controller-manager"),
      account("kube-controller-manager"),
      account("leader-election-controller"),
    ],
  },
  {
    namespace: system,
    name: "system::leader-locking-kube-scheduler",
    subjects: [user("system:kube-scheduler"), account("kube-scheduler")],
  },
  {
    namespace: system,
    name: "system:controller:bootstrap-signer",
    subjects: [account("bootstrap-signer")],
  },
  {
    namespace: system,
    name: "system:controller:cloud-provider",
    subjects: [account("cloud-provider")],
  },
  {
    namespace: system,
    name: "system:controller:token-cleaner",
    subjects: [account("token-cleaner")],
  },
  {
    namespace: "kube-public",
    name: "system:controller:bootstrap-signer",
    subjects: [account("bootstrap-signer")],
  },
];
