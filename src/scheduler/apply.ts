// What the scheduler writes: bindings, why a pod waits, who must go. The only file of this folder that writes.
import { formatTime } from "../api/codec/time.ts";
import type { Pod, PodCondition } from "../api/types/core-v1.ts";
import { bindPod } from "../client/pod-verbs.ts";
import { reasonOf } from "../client/reason.ts";
import type { ResourceClient } from "../client/resource-client.ts";
import { refOf } from "../client/served-object.ts";
import type { PodFacts } from "./pod-facts.ts";

type Pods = ResourceClient<Pod>;

/** Rejects when the pod is bound already, is going, or is gone. */
export async function bind(pods: Pods, { pod }: PodFacts, node: string): Promise<void> {
  await bindPod(pods, pod, node);
}

export interface Waits {
  readonly message: string;
  /** Where room is being made for it; "": nowhere. */
  readonly nominatedNode: string;
  readonly now: number;
}

/** Writes nothing when the pod says so already. A pod that is gone is no failure. */
export async function tellWaits(pods: Pods, { pod }: PodFacts, waits: Waits): Promise<void> {
  const { message, nominatedNode, now } = waits;
  const before = pod.status?.conditions?.find(({ type }) => type === "PodScheduled");
  const wasNominated = pod.status?.nominatedNodeName ?? "";
  const isSaid = before?.status === "False" && before.message === message;
  if (isSaid && wasNominated === nominatedNode) return;
  const time = formatTime({ seconds: Math.floor(now / 1_000), nanos: 0 });
  const { generation, uid } = pod.metadata;
  const condition: PodCondition = {
    type: "PodScheduled",
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    status: "False",
    lastProbeTime: null,
    lastTransitionTime: before?.status === "False" ? (before.lastTransitionTime ?? time) : time,
    reason: "Unschedulable",
    message,
  };
  const nominated = wasNominated === nominatedNode ? {} : { nominatedNodeName: nominatedNode };
  const status = { conditions: [condition], ...nominated };
  await unlessGone(
    pods.patch(
      refOf(pod),
      { type: "strategic", patch: { metadata: { uid }, status } },
      { subresource: "status" },
    ),
  );
}

/** Says why in the victim's status, then deletes it with its grace period. */
export async function evictVictim(
  pods: Pods,
  { pod }: PodFacts,
  { scheduler, now }: { readonly scheduler: string; readonly now: number },
): Promise<void> {
  if (typeof pod.metadata.deletionTimestamp === "string") return;
  const { uid, generation } = pod.metadata;
  const condition: PodCondition = {
    type: "DisruptionTarget",
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    status: "True",
    lastTransitionTime: formatTime({ seconds: Math.floor(now / 1_000), nanos: 0 }),
    reason: "PreemptionByScheduler",
    message: `${scheduler}: preempting to accommodate a higher priority pod`,
  };
  const patch = { metadata: { uid }, status: { conditions: [condition] } };
  await unlessGone(pods.patch(refOf(pod), { type: "strategic", patch }, { subresource: "status" }));
  await unlessGone(pods.delete(refOf(pod), { preconditions: { uid } }));
}

async function unlessGone(call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (reasonOf(error) !== "NotFound" && reasonOf(error) !== "Conflict") throw error;
  }
}
