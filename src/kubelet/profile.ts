// The numbers of a simulated node, with where they come from. Plain data: nothing here decides.
import type { RateLimit } from "../client/rate-limiter.ts";

export interface KubeletProfile {
  /** A node's Lease is renewed so often (kubelet: a quarter of nodeLeaseDurationSeconds). */
  readonly leasePeriodMs: number;
  readonly leaseDurationSeconds: number;
  /** Added to a period, at most this share of it (kubelet: 0.04). */
  readonly leaseJitter: number;
  /** The node's status is written so often although nothing changed (nodeStatusReportFrequency). */
  readonly statusPeriodMs: number;
  /** kubeAPIQPS and kubeAPIBurst since 1.27. */
  readonly rateLimit: RateLimit;
  /** Nodes that register at the same time. */
  readonly registrationsMax: number;
  /** A write to the server that failed is tried again after so long (kubelet: a second, as its pod worker). */
  readonly retryMs: number;
  /** How long a container that ended is seen as such before the kubelet looks again. */
  readonly lookAgainMs: number;
  /** How often it looks at its containers (genericPlegRelistPeriod). */
  readonly relistMs: number;
  readonly crash: {
    readonly initialMs: number;
    readonly maxMs: number;
    /** A container that ran longer than this starts over with initialMs (twice maxMs upstream). */
    readonly forgetMs: number;
  };
}

export const kubeletProfile: KubeletProfile = {
  leasePeriodMs: 10_000,
  leaseDurationSeconds: 40,
  leaseJitter: 0.04,
  statusPeriodMs: 300_000,
  rateLimit: { qps: 50, burst: 100 },
  registrationsMax: 64,
  retryMs: 1_000,
  lookAgainMs: 1_000,
  relistMs: 1_000,
  crash: { initialMs: 10_000, maxMs: 300_000, forgetMs: 600_000 },
};

/** What a node has when nothing says otherwise. */
export const nodeCapacityUsual: Readonly<Record<string, string>> = {
  cpu: "8",
  "ephemeral-storage": "100Gi",
  "hugepages-1Gi": "0",
  "hugepages-2Mi": "0",
  memory: "32Gi",
  pods: "110",
};

export const kubeletVersion = "v1.36.0";
