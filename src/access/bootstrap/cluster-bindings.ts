// Who holds which bootstrap ClusterRole from the start. Data only.
import { type BindingData, account, group, user } from "./policy-builder.ts";

export const clusterBindings: readonly BindingData[] = [
  { name: "cluster-admin", subjects: [group("system:masters")] },
  { name: "system:monitoring", subjects: [group("system:monitoring")] },
  { name: "system:discovery", subjects: [group("system:authenticated")] },
  { name: "system:basic-user", subjects: [group("system:authenticated")] },
  {
    name: "system:public-info-viewer",
    subjects: [group("system:authenticated"), group("system:unauthenticated")],
  },
  { name: "system:node-proxier", subjects: [user("system:kube-proxy")] },
  {
    name: "system:kube-controller-manager",
    subjects: [user("system:kube-controller-manager")],
  },
  { name: "system:kube-dns", subjects: [account("kube-dns")] },
  { name: "system:kube-scheduler", subjects: [user("system:kube-scheduler")] },
  { name: "system:volume-scheduler", subjects: [user("system:kube-scheduler")] },
  // Left without subjects on purpose since the node authorizer exists.
  { name: "system:node", subjects: [] },
  {
    name: "system:service-account-issuer-discovery",
    subjects: [group("system:serviceaccounts")],
  },
];
