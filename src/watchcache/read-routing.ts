// Cache or store? Where Kubernetes of different ages answered a read from, as data and one decision (upstream:
// shouldDelegateList in storage/cacher at 1.16 to 1.34).
import type { Steps } from "../std/steps.ts";
import type { ReadPlan } from "./read-plan.ts";

export interface ReadRouting {
  /** GET without resourceVersion. Upstream reads etcd to this day; ours asks the store for its revision, and reads there only what the cache lacks. */
  readonly get: "cache" | "store";
  /** LIST of the newest state: resourceVersion unset, with or without limit. */
  readonly newest: "cache" | "store";
  /** LIST at exactly a revision, and further pages: from the cache's own past as far as it reaches, or always the store. */
  readonly past: "cache" | "store";
  /** Reads that the cache would answer wait for its first load, or go to the store until then. */
  readonly unready: "wait" | "store";
  /**
   * How a LIST reads the store: in slices, so that it holds neither memory nor the event loop; or its whole range at
   * once, as kube-apiserver does and rehearsals must show.
   */
  readonly storeReads: "sliced" | "whole";
  /** Terms of selectors that a LIST from the cache looks up instead of walking over all objects. */
  readonly indexed: "all" | "spec.nodeName" | "none";
}

export const readRouting136: ReadRouting = {
  get: "cache",
  newest: "cache",
  past: "cache",
  unready: "wait",
  storeReads: "sliced",
  indexed: "all",
};

const routing134: ReadRouting = { ...readRouting136, get: "store", indexed: "spec.nodeName" };
const routing131: ReadRouting = { ...routing134, past: "store" };
const routing119: ReadRouting = { ...routing131, newest: "store", unready: "store" };

/** By Kubernetes minor. 1.36 is Wavetank as it is; the older ones are as upstream was. */
export const readRoutings: Steps<ReadRouting> = [
  [16, { ...routing119, indexed: "none" }],
  [19, routing119],
  [31, routing131],
  [34, routing134],
  [36, readRouting136],
];

/** `ready`: the cache has had its first load. */
export function sourceOf(plan: ReadPlan, routing: ReadRouting, ready: boolean): "cache" | "store" {
  // Only the cache can wait for a revision.
  if (plan.kind === "NotOlderThan") return "cache";
  if (plan.kind === "Exact") return routing.past;
  if (plan.kind === "Consistent" && routing.newest === "store") return "store";
  return ready || routing.unready === "wait" ? "cache" : "store";
}
