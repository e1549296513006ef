// What one does to pods besides the verbs of every resource: bind to a node, evict under a disruption budget.
import type { Binding, Pod } from "../api/types/core-v1.ts";
import type { DeleteOptions } from "../api/types/meta-v1.ts";
import type { Eviction } from "../api/types/policy-v1.ts";
import type { ResourceClient } from "./resource-client.ts";
import type { ObjectRef, Served } from "./served-object.ts";

/** Conflict when the pod is bound already or is not the one meant. */
export async function bindPod(
  pods: ResourceClient<Pod>,
  pod: Served<Pod>,
  nodeName: string,
): Promise<void> {
  const { name, namespace, uid } = pod.metadata;
  const binding: Binding = {
    apiVersion: "v1",
    kind: "Binding",
    metadata: { name, namespace: namespace ?? "", uid },
    target: { kind: "Node", name: nodeName },
  };
  await pods.createSubresource({ namespace, name }, "binding", binding);
}

/** TooManyRequests (with cause DisruptionBudget) when a budget does not allow it now. */
export async function evictPod(
  pods: ResourceClient<Pod>,
  ref: ObjectRef,
  deleteOptions: DeleteOptions = {},
): Promise<void> {
  const { name, namespace = "" } = ref;
  const eviction: Eviction = {
    apiVersion: "policy/v1",
    kind: "Eviction",
    metadata: { name, namespace },
    deleteOptions,
  };
  await pods.createSubresource(ref, "eviction", eviction);
}
