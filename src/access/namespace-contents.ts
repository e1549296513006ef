// What every namespace holds without anyone asking: the `default` ServiceAccount and the CA bundle for its pods. Until
// the controllers for both run, whoever sees a namespace appear creates these. Pure.
import type { KubeObject } from "../api/object.ts";

/** An object to be made as the server's own. */
export interface NewObject {
  /** `pods`, `roles.rbac.authorization.k8s.io`. */
  readonly resource: string;
  /** May carry a `status` that a second write has to set. */
  readonly object: KubeObject;
}

/** In the order in which they should be made: pods wait for the account. */
export function namespaceContents(namespace: string, caBundle: string): readonly NewObject[] {
  const account: KubeObject = {
    kind: "ServiceAccount",
    apiVersion: "v1",
    metadata: { name: "default", namespace },
  };
  return [
    { resource: "serviceaccounts", object: account },
    { resource: "configmaps", object: rootCaConfigMap(namespace, caBundle) },
  ];
}

function rootCaConfigMap(namespace: string, caBundle: string): KubeObject {
  return {
    kind: "ConfigMap",
    apiVersion: "v1",
    metadata: {
      name: "kube-root-ca.crt",
      namespace,
      annotations: {
        "kubernetes.io/description":
          "The CA with which pods check the certificate of this cluster's API server.",
      },
    },
    data: { "ca.crt": caBundle },
  };
}
