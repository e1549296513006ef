// The node lifecycle controller's times and rates, as kube-controller-manager's flags have them.
import type { Steps } from "../../std/steps.ts";

export interface NodeLifecycleProfile {
  readonly monitorPeriodMs: number;
  /** Without a heartbeat for so long a node's conditions become Unknown. 40 s before 1.32. */
  readonly gracePeriodMs: number;
  /** For nodes that never told anything. */
  readonly startupGracePeriodMs: number;
  /** Nodes of a zone that may get their NoExecute taint a second; and while much of a large zone is down. */
  readonly evictionRate: number;
  readonly secondaryEvictionRate: number;
  /** In a zone of at most so many nodes nothing is tainted while much of it is down. */
  readonly largeZoneNodes: number;
  /** Without a taint manager: a node's pods go when it was away for so long (--pod-eviction-timeout). */
  readonly podEviction: { readonly timeoutMs: number } | undefined;
  /** Part of a zone's nodes not ready from which on much of it is down, given more than two are. */
  readonly unhealthyZonePart: number;
}

export const nodeLifecycleProfile136: NodeLifecycleProfile = {
  monitorPeriodMs: 5_000,
  gracePeriodMs: 50_000,
  startupGracePeriodMs: 60_000,
  evictionRate: 0.1,
  secondaryEvictionRate: 0.01,
  largeZoneNodes: 50,
  unhealthyZonePart: 0.55,
  podEviction: undefined,
};

export const nodeLifecycleProfile116: NodeLifecycleProfile = {
  ...nodeLifecycleProfile136,
  gracePeriodMs: 40_000,
};

/** By Kubernetes minor. */
export const nodeLifecycleProfiles: Steps<NodeLifecycleProfile> = [
  [16, nodeLifecycleProfile116],
  [32, nodeLifecycleProfile136],
];
