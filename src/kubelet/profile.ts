// The numbers of a simulated node, with where they come from. Plain data: nothing here decides.
import type { RateLimit } from "../client/rate-limiter.ts";
import type { Steps } from "../std/steps.ts";
import {
  type ObjectProfile,
  recycled,
  recycledLong,
  recycledStreamed,
  recycledUnserved,
  watchedForEver,
  watchedBy16,
  watchedBy17,
} from "./objects/object-profile.ts";

/** How volumes are mounted (upstream: volumemanager, exponentialbackoff.go). */
export interface MountLaw {
  /** After a failure it is tried again, later each time. */
  readonly initialMs: number;
  readonly maxMs: number;
  /** How long a sync of the pod waits for all volumes, and what is said then. */
  readonly waitMs: number;
  readonly overdue: "unattached volumes" | "failed to process" | "silent";
}

export interface KubeletProfile {
  /** A node's Lease is renewed so often (kubelet: a quarter of nodeLeaseDurationSeconds). */
  readonly leasePeriodMs: number;
  readonly leaseDurationSeconds: number;
  /** Added to a period, at most this share of it (kubelet: 0.04). */
  readonly leaseJitter: number;
  /** The node's status is written so often although nothing changed (nodeStatusReportFrequency). */
  readonly statusPeriodMs: number;
  /** kubeAPIQPS and kubeAPIBurst. */
  readonly rateLimit: RateLimit;
  /** eventRecordQPS and eventBurst. */
  readonly eventRateLimit: RateLimit;
  /** Nodes that register at the same time. */
  readonly registrationsMax: number;
  /** A write to the server that failed is tried again after so long (kubelet: a second, as its pod worker). */
  readonly retryMs: number;
  /** Each pod is looked at so often although nothing happened (syncFrequency), and up to this share of it later. */
  readonly syncMs: number;
  readonly syncJitter: number;
  /** A sync that failed is done again after so long (backOffPeriod; its jitter is left out). */
  readonly syncRetryMs: number;
  readonly mount: MountLaw;
  readonly objects: ObjectProfile;
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
  eventRateLimit: { qps: 50, burst: 100 },
  registrationsMax: 64,
  retryMs: 1_000,
  syncMs: 60_000,
  syncJitter: 0.5,
  syncRetryMs: 10_000,
  mount: { initialMs: 500, maxMs: 122_000, waitMs: 123_000, overdue: "silent" },
  objects: recycledStreamed,
  lookAgainMs: 1_000,
  relistMs: 1_000,
  crash: { initialMs: 10_000, maxMs: 300_000, forgetMs: 600_000 },
};

const before35: KubeletProfile = { ...kubeletProfile, objects: recycledLong };
const before31: KubeletProfile = { ...before35, objects: recycled };
const before28: KubeletProfile = {
  ...before31,
  mount: { ...kubeletProfile.mount, overdue: "failed to process" },
};
const before27: KubeletProfile = {
  ...before28,
  mount: { ...kubeletProfile.mount, overdue: "unattached volumes" },
  rateLimit: { qps: 5, burst: 10 },
  eventRateLimit: { qps: 5, burst: 10 },
};

/** 1.21 and 1.22 with the repair of k/k #104604, which came with 1.23. */
export const kubelet21Repaired: KubeletProfile = before27;

/** By Kubernetes minor, as released: each holds up to the next. */
export const kubeletProfiles: Steps<KubeletProfile> = [
  [16, { ...before27, objects: watchedBy16 }],
  [17, { ...before27, objects: watchedBy17 }],
  [18, { ...before27, objects: watchedForEver }],
  [21, { ...before27, objects: recycledUnserved }],
  [23, before27],
  [27, before28],
  [28, before31],
  [31, before35],
  [35, kubeletProfile],
];

/** What a node has when nothing says otherwise. */
export const nodeCapacityUsual: Readonly<Record<string, string>> = {
  cpu: "8",
  "ephemeral-storage": "100Gi",
  "hugepages-1Gi": "0",
  "hugepages-2Mi": "0",
  memory: "32Gi",
  pods: "110",
};
