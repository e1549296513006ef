// The scheduler's numbers, with where they come from (upstream: pkg/scheduler at 1.36, KubeSchedulerConfiguration's
// defaults). Plain data: nothing here decides.
import type { RateLimit } from "../client/rate-limiter.ts";
import type { Steps } from "../std/steps.ts";

export interface SchedulerProfile {
  /** Pods of these spec.schedulerName are ours. */
  readonly names: readonly string[];
  /** A pod that did not fit waits so long before it is tried again, doubling with every try. */
  readonly backoff: { readonly initialMs: number; readonly maxMs: number };
  /** A pod that nothing woke is tried again after so long (DefaultPodMaxInUnschedulablePodsDuration). */
  readonly unschedulableMs: number;
  /** In clusters with more nodes than this, not all of them are looked at for every pod. */
  readonly nodesLookedAtMin: number;
  /** Of large clusters at least this share, in percent. */
  readonly percentMin: number;
  /** Candidates for preemption: at least so many nodes, and this share in percent. */
  readonly candidates: { readonly min: number; readonly percent: number };
  /** Bindings under way at the same time. */
  readonly bindingsMax: number;
  /** Nodes that are looked at, for however many pods, before others get their turn. */
  readonly nodesPerTurn: number;
  /** What upstream's own benchmark gives its client; its default of 50/100 would bound a cluster to 50 pods a second. */
  readonly rateLimit: RateLimit;
  readonly weights: {
    readonly taintToleration: number;
    readonly nodeAffinity: number;
    readonly topologySpread: number;
    readonly interPodAffinity: number;
    readonly leastAllocated: number;
    readonly balancedAllocation: number;
  };
  /** What a container counts in scores that requests nothing. */
  readonly requestsUsual: { readonly cpu: number; readonly memory: number };
}

export const schedulerProfile: SchedulerProfile = {
  names: ["default-scheduler"],
  backoff: { initialMs: 1_000, maxMs: 10_000 },
  unschedulableMs: 300_000,
  nodesLookedAtMin: 100,
  percentMin: 5,
  candidates: { min: 100, percent: 10 },
  bindingsMax: 256,
  nodesPerTurn: 2_000,
  rateLimit: { qps: 5_000, burst: 5_000 },
  weights: {
    taintToleration: 3,
    nodeAffinity: 2,
    topologySpread: 2,
    interPodAffinity: 2,
    leastAllocated: 1,
    balancedAllocation: 1,
  },
  requestsUsual: { cpu: 100, memory: 200 * 1024 * 1024 },
};

/** By Kubernetes minor: the older ones are not told apart. */
export const schedulerProfiles: Steps<SchedulerProfile> = [[16, schedulerProfile]];
