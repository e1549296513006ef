// How the bootstrap policy is written down: rules as words in strings, and the objects around them with the labels and
// annotations by which the policy is recognised and kept up to date. Lists come out sorted, as kube-apiserver stores them.
import type { KubeObject } from "../../api/object.ts";
import type { PolicyRule, Subject } from "../../api/types/rbac-v1.ts";

const rbacGroup = "rbac.authorization.k8s.io";
export const autoUpdateAnnotation = "rbac.authorization.kubernetes.io/autoupdate";

export const read = "get list watch";
export const write = "create delete deletecollection patch update";
export const readWrite: string = `${read} ${write}`;

export interface ClusterRoleData {
  readonly name: string;
  readonly rules: readonly PolicyRule[];
  readonly labels?: Readonly<Record<string, string>>;
  /** The aggregate-to label that this role collects. */
  readonly aggregates?: string;
}

export interface RoleData {
  readonly namespace: string;
  readonly name: string;
  readonly rules: readonly PolicyRule[];
}

export interface BindingData {
  readonly namespace?: string;
  readonly name: string;
  /** When it differs from the binding's own name. */
  readonly role?: string;
  readonly subjects: readonly Subject[];
}

/** Words in strings: `allow("get list", "core apps", "pods pods/log", "only-this-name")`; `core` is the group "". */
export function allow(verbs: string, groups: string, resources: string, names = ""): PolicyRule {
  return {
    verbs: sortedWords(verbs),
    apiGroups: sortedWords(groups)
      .map((group) => (group === "core" ? "" : group))
      .sort(),
    resources: sortedWords(resources),
    ...(names === "" ? {} : { resourceNames: sortedWords(names) }),
  };
}

export function allowPaths(verbs: string, paths: string): PolicyRule {
  return { verbs: sortedWords(verbs), nonResourceURLs: sortedWords(paths) };
}

/** Recording events, in either API group. */
export const writeEvents: PolicyRule = allow("create patch update", "core events.k8s.io", "events");

function sortedWords(text: string): string[] {
  return text
    .split(/\s+/)
    .filter((word) => word !== "")
    .sort();
}

export const group = (name: string): Subject => ({ kind: "Group", apiGroup: rbacGroup, name });
export const user = (name: string): Subject => ({ kind: "User", apiGroup: rbacGroup, name });
export const account = (name: string): Subject => ({
  kind: "ServiceAccount",
  name,
  namespace: "kube-system",
});

export function clusterRole(data: ClusterRoleData): KubeObject {
  const { name, rules, labels = {}, aggregates } = data;
  return {
    kind: "ClusterRole",
    apiVersion: `${rbacGroup}/v1`,
    metadata: { name, ...bootstrapMarks(labels) },
    rules: [...rules],
    ...(aggregates === undefined
      ? {}
      : { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [aggregates]: "true" } }] } }),
  };
}

export function namespacedRole({ namespace, name, rules }: RoleData): KubeObject {
  return {
    kind: "Role",
    apiVersion: `${rbacGroup}/v1`,
    metadata: { name, namespace, ...bootstrapMarks({}) },
    rules: [...rules],
  };
}

/** A ClusterRoleBinding, or with a namespace a RoleBinding of a Role there. */
export function roleBinding({ namespace, name, role = name, subjects }: BindingData): KubeObject {
  const inCluster = namespace === undefined;
  return {
    kind: inCluster ? "ClusterRoleBinding" : "RoleBinding",
    apiVersion: `${rbacGroup}/v1`,
    metadata: { name, ...(inCluster ? {} : { namespace }), ...bootstrapMarks({}) },
    ...(subjects.length === 0 ? {} : { subjects: [...subjects] }),
    roleRef: { apiGroup: rbacGroup, kind: inCluster ? "ClusterRole" : "Role", name: role },
  };
}

function bootstrapMarks(
  labels: Readonly<Record<string, string>>,
): Pick<KubeObject["metadata"], "labels" | "annotations"> {
  return {
    labels: { "kubernetes.io/bootstrapping": "rbac-defaults", ...labels },
    annotations: { [autoUpdateAnnotation]: "true" },
  };
}
