// How taint managers of different ages evict, as data (upstream: pkg/controller/tainteviction).
import type { Steps } from "../../std/steps.ts";

export interface TaintEvictionProfile {
  /** Read the pod and write the condition DisruptionTarget before deleting it: two calls more a pod (since 1.26). */
  readonly tellsCondition: boolean;
  /** Runs within the node lifecycle controller and shares its client, and with that its rate limit (before 1.29). */
  readonly sharesClient: boolean;
  /** Component of its Events. */
  readonly source: string;
  /** Deletions of one pod, this far apart. */
  readonly triesMax: number;
  readonly retryMs: number;
}

export const taintEvictionProfile136: TaintEvictionProfile = {
  tellsCondition: true,
  sharesClient: false,
  source: "taint-eviction-controller",
  triesMax: 5,
  retryMs: 10,
};

export const taintEvictionProfile116: TaintEvictionProfile = {
  ...taintEvictionProfile136,
  tellsCondition: false,
  sharesClient: true,
  source: "taint-controller",
};

/** By Kubernetes minor. */
export const taintEvictionProfiles: Steps<TaintEvictionProfile> = [
  [16, taintEvictionProfile116],
  [26, { ...taintEvictionProfile116, tellsCondition: true }],
  [29, taintEvictionProfile136],
];
