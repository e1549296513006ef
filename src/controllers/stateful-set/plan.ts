// What a StatefulSet is: pods with ordinals that come, go and change in order. Pure; one sync does what may be done now
// (upstream: pkg/controller/statefulset/stateful_set_control.go).
import type {
  ControllerRevision,
  StatefulSet,
  StatefulSetStatus,
} from "../../api/types/apps-v1.ts";
import type { Pod } from "../../api/types/core-v1.ts";
import type { Served } from "../../client/served-object.ts";
import { templateOf } from "../history/revision.ts";
import { scaledValue } from "../pods/int-or-percent.ts";
import {
  isAvailable,
  isFinished,
  isReady,
  isTerminating,
  nextAvailableMs,
} from "../pods/pod-state.ts";
import { sameStatus } from "../pods/same-status.ts";
import { identityMatches, ordinalOf, podOf, podRevision } from "./identity.ts";

type StoredPod = Readonly<Served<Pod>>;
type StoredRevision = Readonly<Served<ControllerRevision>>;

export interface StatefulSetView {
  readonly set: Readonly<Served<StatefulSet>>;
  /** Those it controls. */
  readonly pods: readonly StoredPod[];
  /** Of the present template. */
  readonly updateRevision: StoredRevision;
  /** All, oldest first. */
  readonly revisions: readonly StoredRevision[];
  readonly collisionCount: number;
}

export interface Removal {
  readonly pod: StoredPod;
  readonly why: "Failed" | "Succeeded" | "ScaledDown" | "Outdated";
}

export interface StatefulSetPlan {
  /** To be created, their claims first, in order. */
  readonly create: readonly Pod[];
  /** There and waiting, maybe for claims that somebody deleted. */
  readonly claimsFor: readonly StoredPod[];
  readonly relabel: readonly StoredPod[];
  readonly delete: readonly Removal[];
  /** Undefined when it is written already. */
  readonly status: StatefulSetStatus | undefined;
  readonly requeueAfterMs: number | undefined;
}

interface Actions {
  readonly create: Pod[];
  readonly claimsFor: StoredPod[];
  readonly relabel: StoredPod[];
  readonly delete: Removal[];
}

export function planStatefulSet(view: StatefulSetView, now: number): StatefulSetPlan {
  const actions: Actions = { create: [], claimsFor: [], relabel: [], delete: [] };
  if (!isTerminating(view.set) && fillUp(view, actions, now) && shrink(view, actions, now))
    update(view, actions, now);
  const status = statusOf(view, now);
  const { set } = view;
  return {
    ...actions,
    status: sameStatus(set.status, status) ? undefined : status,
    requeueAfterMs: nextAvailableMs(view.pods, minReadyOf(set), now),
  };
}

/** True when the next phase may begin. In order, one pod must be well before the next is made. */
function fillUp(view: StatefulSetView, actions: Actions, now: number): boolean {
  const { set } = view;
  const ordered = isOrdered(set);
  for (const [ordinal, pod] of slotsOf(view)) {
    if (pod === undefined) {
      actions.create.push(newPod(view, ordinal));
      if (ordered) return false;
      continue;
    }
    if (isFinished(pod) && !isTerminating(pod)) {
      // The name is free only when the pod is gone; the next sync makes the new one.
      const why = pod.status?.phase === "Failed" ? "Failed" : "Succeeded";
      actions.delete.push({ pod, why });
      if (ordered) return false;
      continue;
    }
    if (pod.status?.phase === "Pending" && !isTerminating(pod)) actions.claimsFor.push(pod);
    if (ordered && !isHealthy(set, pod, now)) return false;
    if (!identityMatches(set, pod)) actions.relabel.push(pod);
  }
  return true;
}

/** Takes surplus pods away from the highest ordinal on. */
function shrink(view: StatefulSetView, actions: Actions, now: number): boolean {
  const { set } = view;
  const surplus = surplusOf(view);
  if (!isOrdered(set)) {
    for (const pod of surplus)
      if (!isTerminating(pod)) actions.delete.push({ pod, why: "ScaledDown" });
    return true;
  }
  const highest = surplus[0];
  if (highest === undefined) return true;
  if (isTerminating(highest)) return false;
  // One that is ill waits for nobody but the ill ones of lower ordinals, which are looked after first.
  const lowestIll = surplus.findLast((pod) => !isHealthy(set, pod, now));
  if (!isHealthy(set, highest, now) && highest !== lowestIll) return false;
  actions.delete.push({ pod: highest, why: "ScaledDown" });
  return false;
}

/** Deletes outdated pods from the highest ordinal on, as long as not too many are unwell. */
function update(view: StatefulSetView, actions: Actions, now: number): void {
  const { set, updateRevision } = view;
  const { type, rollingUpdate } = set.spec?.updateStrategy ?? {};
  if (type === "OnDelete") return;
  const from = startOf(set) + (rollingUpdate?.partition ?? 0);
  const allowed = maxUnavailableOf(set);
  const targets = slotsOf(view).filter(([ordinal]) => ordinal >= from);
  const unwell = (pod: StoredPod | undefined): boolean =>
    pod === undefined || !isHealthy(set, pod, now);
  let down = targets.filter(([, pod]) => unwell(pod)).length;
  for (const [, pod] of targets.toReversed()) {
    const outdated =
      pod !== undefined && !isTerminating(pod) && podRevision(pod) !== updateRevision.metadata.name;
    if (outdated) {
      // One that is unwell costs nothing.
      if (!unwell(pod) && down >= allowed) return;
      if (!unwell(pod)) down += 1;
      if (!actions.delete.some((removal) => removal.pod === pod))
        actions.delete.push({ pod, why: "Outdated" });
    } else if (!unwell(pod)) continue;
    if (down >= allowed && allowed === 1) return;
  }
}

function statusOf(view: StatefulSetView, now: number): StatefulSetStatus {
  const { set, pods, updateRevision, collisionCount } = view;
  const current = currentRevisionOf(view);
  const count = (holds: (pod: StoredPod) => boolean): number => pods.filter(holds).length;
  const runs = (pod: StoredPod): boolean => pod.status?.phase === "Running";
  const status: StatefulSetStatus = {
    observedGeneration: set.metadata.generation ?? 0,
    replicas: pods.length,
    readyReplicas: count((pod) => runs(pod) && isReady(pod)),
    availableReplicas: count((pod) => runs(pod) && isAvailable(pod, minReadyOf(set), now)),
    currentReplicas: count((pod) => isTakenFrom(pod, current)),
    updatedReplicas: count((pod) => isTakenFrom(pod, updateRevision)),
    currentRevision: current.metadata.name,
    updateRevision: updateRevision.metadata.name,
    collisionCount,
    ...(set.status?.conditions === undefined ? {} : { conditions: set.status.conditions }),
  };
  const { replicas, readyReplicas, updatedReplicas = 0 } = status;
  const isRolling = set.spec?.updateStrategy?.type !== "OnDelete";
  if (!isRolling || updatedReplicas !== replicas || readyReplicas !== replicas) return status;
  return {
    ...status,
    currentReplicas: updatedReplicas,
    currentRevision: updateRevision.metadata.name,
  };
}

/** The revision that pods below the partition keep; the present one when it is not known. */
export function currentRevisionOf({
  set,
  revisions,
  updateRevision,
}: StatefulSetView): StoredRevision {
  const name = set.status?.currentRevision;
  return revisions.find(({ metadata }) => metadata.name === name) ?? updateRevision;
}

function isTakenFrom(pod: StoredPod, { metadata }: StoredRevision): boolean {
  return !isTerminating(pod) && podRevision(pod) === metadata.name;
}

/** From the present template, below the partition from the current one. */
function newPod(view: StatefulSetView, ordinal: number): Pod {
  const { set, updateRevision } = view;
  const { type, rollingUpdate } = set.spec?.updateStrategy ?? {};
  const kept = type !== "OnDelete" && ordinal < startOf(set) + (rollingUpdate?.partition ?? 0);
  const revision = kept ? currentRevisionOf(view) : updateRevision;
  return podOf(set, ordinal, { template: templateOf(revision), revision: revision.metadata.name });
}

/** Each ordinal that should have a pod, with the pod it has. */
function slotsOf({ set, pods }: StatefulSetView): [ordinal: number, pod: StoredPod | undefined][] {
  const byOrdinal = new Map(pods.map((pod) => [ordinalOf(set, pod), pod]));
  const start = startOf(set);
  return Array.from({ length: replicasOf(set) }, (_, at) => [
    start + at,
    byOrdinal.get(start + at),
  ]);
}

/** Highest ordinal first. */
function surplusOf({ set, pods }: StatefulSetView): StoredPod[] {
  const start = startOf(set);
  const end = start + replicasOf(set);
  return pods
    .flatMap((pod) => {
      const ordinal = ordinalOf(set, pod);
      return ordinal === undefined || (ordinal >= start && ordinal < end) ? [] : [{ ordinal, pod }];
    })
    .toSorted((a, b) => b.ordinal - a.ordinal)
    .map(({ pod }) => pod);
}

function isHealthy(set: StatefulSet, pod: StoredPod, now: number): boolean {
  const runs = pod.status?.phase === "Running" && !isTerminating(pod);
  return runs && isAvailable(pod, minReadyOf(set), now);
}

function maxUnavailableOf(set: StatefulSet): number {
  const { maxUnavailable } = set.spec?.updateStrategy?.rollingUpdate ?? {};
  if (maxUnavailable === undefined) return 1;
  return Math.max(1, scaledValue(maxUnavailable, replicasOf(set), "up"));
}

function isOrdered({ spec }: StatefulSet): boolean {
  return spec?.podManagementPolicy !== "Parallel";
}

function replicasOf({ spec }: StatefulSet): number {
  return spec?.replicas ?? 1;
}

function startOf({ spec }: StatefulSet): number {
  return spec?.ordinals?.start ?? 0;
}

function minReadyOf({ spec }: StatefulSet): number {
  return spec?.minReadySeconds ?? 0;
}
