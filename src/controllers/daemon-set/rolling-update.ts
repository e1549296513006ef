// One step of replacing outdated daemon pods: old ones go while few nodes are without (maxUnavailable), or new ones come
// beside them first (maxSurge). Pure (upstream: pkg/controller/daemon/update.go).
import { scaledValue } from "../pods/int-or-percent.ts";
import { isAvailable, isTerminating } from "../pods/pod-state.ts";
import { isUpdated } from "./daemon-pod.ts";
import { type DaemonSetView, type Post, type StoredPod, minReadyOf } from "./post.ts";

export interface Replacement {
  readonly create: readonly string[];
  readonly delete: readonly StoredPod[];
}

interface Pair {
  readonly node: string;
  readonly updated: StoredPod | undefined;
  readonly outdated: StoredPod | undefined;
}

export function rollingUpdate(
  view: DaemonSetView,
  posts: readonly Post[],
  now: number,
): Replacement {
  const { set, hash } = view;
  const wanted = posts.filter(({ fit }) => fit.shouldRun);
  const { maxSurge, maxUnavailable } = boundsOf(view, wanted.length);
  const pairs = wanted.map(({ name, pods }) => pairOf(name, pods, hash));
  const isWell = (pod: StoredPod): boolean => isAvailable(pod, minReadyOf(set), now);
  return maxSurge > 0
    ? surge(pairs, maxSurge, isWell)
    : { create: [], delete: replaceInPlace(pairs, maxUnavailable, isWell) };
}

/** Outdated pods that are unwell go at once: nobody misses them. */
function replaceInPlace(
  pairs: readonly Pair[],
  maxUnavailable: number,
  isWell: (pod: StoredPod) => boolean,
): StoredPod[] {
  const free: StoredPod[] = [];
  const candidates: StoredPod[] = [];
  let unavailable = 0;
  for (const { updated, outdated } of pairs) {
    if (updated !== undefined && outdated === undefined) {
      if (!isWell(updated)) unavailable += 1;
    } else if (outdated === undefined || updated !== undefined) {
      // None, or two: being seen to already.
      unavailable += 1;
    } else if (isWell(outdated)) candidates.push(outdated);
    else {
      unavailable += 1;
      free.push(outdated);
    }
  }
  return [...free, ...candidates.slice(0, Math.max(0, maxUnavailable - unavailable))];
}

function surge(
  pairs: readonly Pair[],
  maxSurge: number,
  isWell: (pod: StoredPod) => boolean,
): Replacement {
  const free: string[] = [];
  const candidates: string[] = [];
  const done: StoredPod[] = [];
  let surging = 0;
  for (const { node, updated, outdated } of pairs) {
    if (outdated === undefined) continue;
    if (updated === undefined) (isWell(outdated) ? candidates : free).push(node);
    else if (isWell(updated)) done.push(outdated);
    else surging += 1;
  }
  const room = Math.max(0, maxSurge - surging);
  return { create: [...free, ...candidates.slice(0, room)], delete: done };
}

/** The oldest live pod of each sort. */
function pairOf(node: string, pods: readonly StoredPod[], hash: string): Pair {
  const live = pods.filter((pod) => !isTerminating(pod));
  return {
    node,
    updated: live.find((pod) => isUpdated(pod, hash)),
    outdated: live.find((pod) => !isUpdated(pod, hash)),
  };
}

function boundsOf(
  { set }: DaemonSetView,
  desired: number,
): { maxSurge: number; maxUnavailable: number } {
  const { maxSurge, maxUnavailable } = set.spec?.updateStrategy?.rollingUpdate ?? {};
  const surge = scaledValue(maxSurge, desired, "up");
  const unavailable = scaledValue(maxUnavailable ?? 1, desired, "up");
  return { maxSurge: surge, maxUnavailable: surge + unavailable === 0 ? 1 : unavailable };
}
