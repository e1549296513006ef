// Pods that a controller ends: the condition DisruptionTarget says why, before the pod goes (KEP-3329).
import type { Pod, PodCondition, PodStatus } from "../api/types/core-v1.ts";
import type { Client } from "../client/client.ts";
import { type Served, refOf } from "../client/served-object.ts";
import { timestamp } from "./pods/timestamp.ts";

export interface Disruption {
  readonly reason: string;
  readonly message: string;
}

/** Undefined when the pod says so already. */
export function disruptionOf(
  { status, metadata }: Pod,
  { reason, message }: Disruption,
  now: number,
): PodCondition | undefined {
  const old = status?.conditions?.find(({ type }) => type === "DisruptionTarget");
  if (old?.status === "True" && old.reason === reason && old.message === message) return undefined;
  const lastTransitionTime =
    old?.status === "True" ? (old.lastTransitionTime ?? null) : timestamp(now);
  const { generation } = metadata;
  return {
    type: "DisruptionTarget",
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    status: "True",
    lastTransitionTime,
    reason,
    message,
  };
}

export async function patchPodStatus(
  client: Client,
  pod: Readonly<Served<Pod>>,
  status: PodStatus,
): Promise<void> {
  const patch = { metadata: { uid: pod.metadata.uid }, status };
  const pods = client.resource("pods");
  await pods.patch(refOf(pod), { type: "strategic", patch }, { subresource: "status" });
}
