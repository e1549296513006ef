// What a DaemonSet is: one pod on each node that should have one, and how those pods are replaced when the template
// changes. Pure (upstream: pkg/controller/daemon/{daemon_controller,update}.go).
import type { DaemonSet, DaemonSetStatus } from "../../api/types/apps-v1.ts";
import { isAvailable, isReady, isTerminating, nextAvailableMs } from "../pods/pod-state.ts";
import { sameStatus } from "../pods/same-status.ts";
import { isBound, isUpdated, nodeOf } from "./daemon-pod.ts";
import { type DaemonSetView, type Post, type StoredPod, minReadyOf, postsOf } from "./post.ts";
import { rollingUpdate } from "./rolling-update.ts";

export interface DaemonSetPlan {
  /** Names of nodes. */
  readonly create: readonly string[];
  readonly delete: readonly StoredPod[];
  /** Among the deleted: those that ended by themselves, which is told in an Event. */
  readonly ended: readonly StoredPod[];
  /** Undefined when it is written already. */
  readonly status: DaemonSetStatus | undefined;
  readonly requeueAfterMs: number | undefined;
}

/** Pods made, and pods deleted, in one sync at most. */
export const burstReplicas = 250;

interface Changes {
  readonly create: string[];
  readonly delete: StoredPod[];
  readonly ended: StoredPod[];
  readonly waitsMs: number[];
}

export function planDaemonSet(view: DaemonSetView, now: number): DaemonSetPlan {
  const { set, pods, caughtUp } = view;
  const posts = postsOf(view);
  const changes: Changes = { create: [], delete: [], ended: [], waitsMs: [] };
  if (caughtUp) {
    for (const post of posts) tend(view, post, changes, now);
    changes.delete.push(...strayPods(view));
    // As upstream, which looks again before it replaces anything: pods it just made or deleted would be counted wrong.
    const settled = changes.create.length + changes.delete.length === 0;
    if (settled && set.spec?.updateStrategy?.type !== "OnDelete") {
      const replaced = rollingUpdate(view, posts, now);
      changes.create.push(...replaced.create);
      changes.delete.push(...replaced.delete);
    }
  }
  const available = nextAvailableMs(pods, minReadyOf(set), now);
  const waits = [...changes.waitsMs, ...(available === undefined ? [] : [available])];
  const status = statusOf(view, posts, now);
  return {
    create: changes.create.slice(0, burstReplicas),
    delete: changes.delete.slice(0, burstReplicas),
    ended: changes.ended,
    status: sameStatus(set.status, status) ? undefined : status,
    requeueAfterMs: waits.length === 0 ? undefined : Math.min(...waits),
  };
}

/** Sees to it that the node has one pod, or none. */
function tend(view: DaemonSetView, post: Post, changes: Changes, now: number): void {
  const { name, fit, pods } = post;
  if (!fit.mayStay) {
    changes.delete.push(...pods.filter((pod) => !isTerminating(pod)));
    return;
  }
  if (pods.length === 0) {
    if (fit.shouldRun) changes.create.push(name);
    return;
  }
  const running: StoredPod[] = [];
  for (const pod of pods) {
    if (isTerminating(pod)) continue;
    if (pod.status?.phase === "Failed") {
      const waitMs = view.failedWaitsMs.get(name) ?? 0;
      if (waitMs > 0) changes.waitsMs.push(waitMs);
      else end(pod, changes);
    } else if (pod.status?.phase === "Succeeded") end(pod, changes);
    else running.push(pod);
  }
  changes.delete.push(...tooMany(view, running, now));
}

function end(pod: StoredPod, changes: Changes): void {
  changes.ended.push(pod);
  changes.delete.push(pod);
}

/** All but the oldest; with a surge the newest updated one may stand beside the oldest outdated one until it is well. */
function tooMany(
  { set, hash }: DaemonSetView,
  running: readonly StoredPod[],
  now: number,
): readonly StoredPod[] {
  if (running.length <= 1) return [];
  if (!allowsSurge(set)) return running.slice(1);
  const updated = running.filter((pod) => isUpdated(pod, hash));
  const outdated = running.filter((pod) => !isUpdated(pod, hash));
  const [kept] = updated;
  const replaced = kept !== undefined && isAvailable(kept, minReadyOf(set), now);
  return [...updated.slice(1), ...outdated.slice(replaced ? 0 : 1)];
}

function allowsSurge({ spec }: DaemonSet): boolean {
  const { type, rollingUpdate } = spec?.updateStrategy ?? {};
  const surge = rollingUpdate?.maxSurge ?? 0;
  return type === "RollingUpdate" && surge !== 0 && surge !== "0%";
}

/** Made for nodes that are gone before they could be bound. */
function strayPods({ nodes, pods }: DaemonSetView): StoredPod[] {
  const names = new Set(nodes.map(({ metadata }) => metadata.name));
  return pods.filter((pod) => {
    const name = nodeOf(pod);
    return !isBound(pod) && !isTerminating(pod) && (name === undefined || !names.has(name));
  });
}

function statusOf(view: DaemonSetView, posts: readonly Post[], now: number): DaemonSetStatus {
  const { set, hash, collisionCount, caughtUp } = view;
  const wanted = posts.filter(({ fit }) => fit.shouldRun);
  const firsts = wanted.flatMap(({ pods }) => pods.slice(0, 1));
  const count = (holds: (pod: StoredPod) => boolean): number => firsts.filter(holds).length;
  const numberAvailable = count((pod) => isAvailable(pod, minReadyOf(set), now));
  const { observedGeneration = 0, conditions } = set.status ?? {};
  return {
    currentNumberScheduled: firsts.length,
    numberMisscheduled: posts.filter(({ fit, pods }) => !fit.shouldRun && pods.length > 0).length,
    desiredNumberScheduled: wanted.length,
    numberReady: count(isReady),
    // A sync that did not look at the template must not claim that it did.
    observedGeneration: caughtUp ? (set.metadata.generation ?? 0) : observedGeneration,
    updatedNumberScheduled: count((pod) => isUpdated(pod, hash)),
    numberAvailable,
    numberUnavailable: wanted.length - numberAvailable,
    ...(collisionCount === 0 ? {} : { collisionCount }),
    ...(conditions === undefined ? {} : { conditions }),
  };
}
