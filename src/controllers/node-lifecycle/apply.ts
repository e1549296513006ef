// The controller's writes: a node's conditions and taints, and the readiness of pods on a node that is not ready.
import type { Node, NodeCondition, Pod, Taint } from "../../api/types/core-v1.ts";
import type { Client } from "../../client/client.ts";
import { reasonOf } from "../../client/reason.ts";
import type { Served } from "../../client/served-object.ts";
import { patchPodStatus } from "../pod-status.ts";

const conflictTriesMax = 5;

export async function writeConditions(
  client: Client,
  node: Served<Node>,
  conditions: NodeCondition[],
): Promise<Served<Node>> {
  const status = { ...node.status, conditions };
  return client.resource("nodes").update({ ...node, status }, { subresource: "status" });
}

/**
 * Begins with the node as it was `seen`; reads anew when it was changed meanwhile, because others write taints, too.
 * False: nothing was to do.
 */
export async function changeTaints(
  client: Client,
  seen: Readonly<Served<Node>>,
  edit: (node: Node) => Taint[] | undefined,
): Promise<boolean> {
  const nodes = client.resource("nodes");
  const { name } = seen.metadata;
  for (let tries = 1; ; tries++) {
    const node = tries === 1 ? seen : await nodes.find({ name });
    const taints = node === undefined ? undefined : edit(node);
    if (node === undefined || taints === undefined) return false;
    const { uid, resourceVersion } = node.metadata;
    // The resource version makes the whole list safe to replace.
    const patch = { metadata: { uid, resourceVersion }, spec: { taints } };
    try {
      await nodes.patch({ name }, { type: "merge", patch });
      return true;
    } catch (error) {
      if (reasonOf(error) === "NotFound") return false;
      if (reasonOf(error) !== "Conflict" || tries === conflictTriesMax) throw error;
    }
  }
}

/** Gives whether the pod was ready. */
export async function markNotReady(
  client: Client,
  pod: Readonly<Served<Pod>>,
  now: string,
): Promise<boolean> {
  const ready = pod.status?.conditions?.find(({ type }) => type === "Ready");
  if (ready === undefined || ready.status === "False") return false;
  const conditions = [{ ...ready, status: "False", lastTransitionTime: now }];
  try {
    await patchPodStatus(client, pod, { conditions });
    return true;
  } catch (error) {
    if (["NotFound", "Conflict"].includes(reasonOf(error))) return false;
    throw error;
  }
}

export function isGone(error: unknown): boolean {
  return ["NotFound", "Conflict"].includes(reasonOf(error));
}
