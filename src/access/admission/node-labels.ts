// Which labels of its own Node a kubelet may set: Kubernetes' own only where they are meant for it (upstream:
// kubelet/pkg/apis/well_known_labels.go). Pure.
type Labels = Readonly<Record<string, string>>;

const kubeletLabels: ReadonlySet<string> = new Set([
  "kubernetes.io/hostname",
  "topology.kubernetes.io/zone",
  "topology.kubernetes.io/region",
  "failure-domain.beta.kubernetes.io/zone",
  "failure-domain.beta.kubernetes.io/region",
  "node.kubernetes.io/instance-type",
  "beta.kubernetes.io/instance-type",
  "kubernetes.io/os",
  "kubernetes.io/arch",
  "beta.kubernetes.io/os",
  "beta.kubernetes.io/arch",
]);

const kubeletNamespaces = ["kubelet.kubernetes.io", "node.kubernetes.io"];
const kubernetesNamespaces = ["kubernetes.io", "k8s.io"];
const restrictedNamespace = "node-restriction.kubernetes.io";

/** Keys whose values differ, sorted. */
export function changedLabels(now: Labels = {}, before: Labels = {}): string[] {
  const keys = new Set([...Object.keys(now), ...Object.keys(before)]);
  return [...keys].filter((key) => now[key] !== before[key]).sort();
}

export function isForbiddenToNodes(label: string): boolean {
  const slash = label.indexOf("/");
  const namespace = slash < 0 ? "" : label.slice(0, slash);
  if (within(namespace, restrictedNamespace)) return true;
  const isKubernetes = kubernetesNamespaces.some((one) => within(namespace, one));
  return isKubernetes && !isForKubelets(label, namespace);
}

function isForKubelets(label: string, namespace: string): boolean {
  return kubeletLabels.has(label) || kubeletNamespaces.some((one) => within(namespace, one));
}

function within(namespace: string, domain: string): boolean {
  return namespace === domain || namespace.endsWith(`.${domain}`);
}
