// What a ReplicaSet is, and a ReplicationController: as many active pods as it asks for, and a status that says how they
// are. Pure (upstream: pkg/controller/replicaset/{replica_set,replica_set_utils}.go).
import type { Pod, PodTemplateSpec } from "../../api/types/core-v1.ts";
import type { ReplicaSetCondition, ReplicaSetStatus } from "../../api/types/apps-v1.ts";
import type { ApiObject, Served } from "../../client/served-object.ts";
import { findCondition, withCondition, withoutCondition } from "../pods/condition.ts";
import { deletionOrder } from "../pods/deletion-order.ts";
import {
  isActive,
  isAvailable,
  isFinished,
  isReady,
  isTerminating,
  nextAvailableMs,
} from "../pods/pod-state.ts";
import { sameStatus } from "../pods/same-status.ts";
import { timestamp } from "../pods/timestamp.ts";

/** What ReplicaSet and ReplicationController have in common. */
export interface ReplicaOwner extends ApiObject {
  spec?: {
    replicas?: number;
    minReadySeconds?: number;
    template?: PodTemplateSpec;
  };
  status?: ReplicaSetStatus;
}

export interface ReplicaView {
  readonly owner: Readonly<Served<ReplicaOwner>>;
  /** All that it controls, whatever their state. */
  readonly pods: readonly Readonly<Served<Pod>>[];
  /** Also those of its siblings under the same Deployment: together they should not crowd on a node. Asked seldom. */
  readonly related: () => readonly Pod[];
  /** False: own creates or deletes are still on their way, so pods must not be counted against replicas. */
  readonly caughtUp: boolean;
}

export interface ReplicaPlan {
  readonly create: number;
  /** In order. */
  readonly delete: readonly Readonly<Served<Pod>>[];
}

/** Pods made or deleted in one sync at most. */
export const burstReplicas = 500;

export function planReplicas(view: ReplicaView, now: number): ReplicaPlan {
  const { owner, pods, related, caughtUp } = view;
  const nothing: ReplicaPlan = { create: 0, delete: [] };
  if (!caughtUp || isTerminating(owner)) return nothing;
  const active = pods.filter(isActive);
  const missing = replicasOf(owner) - active.length;
  if (missing > 0) return { create: Math.min(missing, burstReplicas), delete: [] };
  if (missing === 0) return nothing;
  const surplus = Math.min(-missing, burstReplicas);
  return { create: 0, delete: deletionOrder(active, related(), now).slice(0, surplus) };
}

export interface ReplicaFailure {
  readonly reason: "FailedCreate" | "FailedDelete";
  readonly message: string;
}

export interface StatusView extends Pick<ReplicaView, "owner" | "pods"> {
  readonly failure: ReplicaFailure | undefined;
  /** Whether the kind has status.terminatingReplicas. */
  readonly countsTerminating: boolean;
}

/** The status to write; undefined when it is written already. */
export function planStatus(view: StatusView, now: number): ReplicaSetStatus | undefined {
  const { owner, pods, failure, countsTerminating } = view;
  const conditions = conditionsAfter(owner.status?.conditions, failure, now);
  const { terminatingReplicas, ...counts } = countPods(owner, pods, now);
  const status: ReplicaSetStatus = {
    ...counts,
    ...(countsTerminating ? { terminatingReplicas } : {}),
    observedGeneration: owner.metadata.generation ?? 0,
    ...(conditions.length === 0 ? {} : { conditions }),
  };
  return sameStatus(owner.status, status) ? undefined : status;
}

/** One pass: a sync of thousands of pods follows each of their changes. */
function countPods(
  owner: ReplicaOwner,
  pods: readonly Pod[],
  now: number,
): Required<Omit<ReplicaSetStatus, "observedGeneration" | "conditions">> {
  const labels = Object.entries(owner.spec?.template?.metadata.labels ?? {});
  const minReady = minReadyOf(owner);
  const counts = {
    replicas: 0,
    fullyLabeledReplicas: 0,
    readyReplicas: 0,
    availableReplicas: 0,
    terminatingReplicas: 0,
  };
  for (const pod of pods) {
    if (isFinished(pod)) continue;
    if (isTerminating(pod)) {
      counts.terminatingReplicas += 1;
      continue;
    }
    counts.replicas += 1;
    const own = pod.metadata.labels ?? {};
    if (labels.every(([key, value]) => own[key] === value)) counts.fullyLabeledReplicas += 1;
    if (!isReady(pod)) continue;
    counts.readyReplicas += 1;
    if (isAvailable(pod, minReady, now)) counts.availableReplicas += 1;
  }
  return counts;
}

/** When to look again although nothing happens: a ready pod will be available then. */
export function requeueAfterMs(
  { owner, pods }: Pick<ReplicaView, "owner" | "pods">,
  now: number,
): number | undefined {
  const minReady = minReadyOf(owner);
  return minReady === 0 ? undefined : nextAvailableMs(pods.filter(isActive), minReady, now);
}

export function replicasOf(owner: ReplicaOwner): number {
  return owner.spec?.replicas ?? 1;
}

function minReadyOf(owner: ReplicaOwner): number {
  return owner.spec?.minReadySeconds ?? 0;
}

/** A failure that was told already keeps its words until it is over. */
function conditionsAfter(
  conditions: readonly ReplicaSetCondition[] | undefined,
  failure: ReplicaFailure | undefined,
  now: number,
): ReplicaSetCondition[] {
  if (failure === undefined) return withoutCondition(conditions, "ReplicaFailure");
  if (findCondition(conditions, "ReplicaFailure") !== undefined) return [...(conditions ?? [])];
  const lastTransitionTime = timestamp(now);
  const condition = { type: "ReplicaFailure", status: "True", lastTransitionTime, ...failure };
  return withCondition(conditions, condition);
}
