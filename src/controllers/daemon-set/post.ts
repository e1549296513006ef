// What a DaemonSet's plan is made from, put in order: each node with the pods of the set that are on it or made for it.
import type { DaemonSet } from "../../api/types/apps-v1.ts";
import type { Node, Pod } from "../../api/types/core-v1.ts";
import type { Served } from "../../client/served-object.ts";
import { daemonSpec, isBound, nodeOf } from "./daemon-pod.ts";
import { type Fit, fitOf } from "./node-fit.ts";
import { groupBy } from "../../std/group-by.ts";

export type StoredPod = Readonly<Served<Pod>>;

export interface DaemonSetView {
  readonly set: Readonly<Served<DaemonSet>>;
  readonly nodes: readonly Readonly<Served<Node>>[];
  /** Those it controls. */
  readonly pods: readonly StoredPod[];
  /** Of the present template. */
  readonly hash: string;
  readonly collisionCount: number;
  /** False: own creates or deletes are still on their way. */
  readonly caughtUp: boolean;
  /** By node, how long its failed pod must be left alone yet. */
  readonly failedWaitsMs: ReadonlyMap<string, number>;
}

/** A node and what of the DaemonSet is on it. */
export interface Post {
  readonly name: string;
  readonly fit: Fit;
  readonly pods: readonly StoredPod[];
}

export function minReadyOf({ spec }: DaemonSet): number {
  return spec?.minReadySeconds ?? 0;
}

export function postsOf({ set, nodes, pods }: DaemonSetView): Post[] {
  const byNode = groupBy(pods, nodeOf);
  const spec = daemonSpec(set);
  return nodes.map((node) => {
    const { name } = node.metadata;
    return { name, fit: fitOf(node, spec), pods: (byNode.get(name) ?? []).toSorted(byAge) };
  });
}

/** Oldest first, and among equals those that are bound. */
function byAge(a: StoredPod, b: StoredPod): number {
  const [left, right] = [a.metadata, b.metadata];
  if (isBound(a) !== isBound(b)) return isBound(a) ? -1 : 1;
  if (left.creationTimestamp !== right.creationTimestamp)
    return left.creationTimestamp < right.creationTimestamp ? -1 : 1;
  return left.name < right.name ? -1 : 1;
}
