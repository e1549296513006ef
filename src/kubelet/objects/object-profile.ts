// How the kubelet of a version reads Secrets and ConfigMaps, as data (upstream: pkg/kubelet/util/manager at the versions
// named; design facts and sources in docs/nodes.md).
import { type ReflectorProfile, reflectorProfiles } from "../../informer/reflector-profile.ts";

/** When watches that nobody reads are ended. */
export interface IdleLaw {
  /** The recycler looks so often. */
  readonly everyMs: number;
  /** What was not read for longer is ended. */
  readonly idleMs: number;
  /**
   * What counts as a read. "served": one that got its object, and what has not come yet is ended like everything else,
   * so that many mounts at a small client limit never get done (k/k #104579). "asked": any, and what has not come yet
   * is left alone (#104604).
   */
  readonly reads: "served" | "asked";
}

export interface ObjectProfile {
  readonly strategy: "Get" | "Cache" | "Watch";
  /** Of the Cache strategy where the node has no annotation node.alpha.kubernetes.io/ttl. */
  readonly ttlMs: number;
  /** How long a read waits for a watch that has not told anything yet, and how often it looks. */
  readonly waitMs: number;
  readonly pollMs: number;
  readonly reflector: ReflectorProfile;
  readonly idle: IdleLaw | "never";
}

const minute = 60_000;

/** Up to 1.20. */
export const watchedForEver: ObjectProfile = {
  strategy: "Watch",
  ttlMs: minute,
  waitMs: 1_000,
  pollMs: 10,
  reflector: reflectorProfiles["client-go 1.18"],
  idle: "never",
};

export const watchedBy16: ObjectProfile = {
  ...watchedForEver,
  reflector: reflectorProfiles["client-go 1.16"],
};

export const watchedBy17: ObjectProfile = {
  ...watchedForEver,
  reflector: reflectorProfiles["client-go 1.17"],
};

/** Five times the period in which pods are looked at, so that what volumes need is never idle (PR #99393). */
const idle = { everyMs: minute, idleMs: 5 * minute };

/** 1.21 and 1.22 as they were released. */
export const recycledUnserved: ObjectProfile = {
  ...watchedForEver,
  idle: { ...idle, reads: "served" },
};

export const recycled: ObjectProfile = { ...watchedForEver, idle: { ...idle, reads: "asked" } };

/** Since 1.31 a watch lasts half an hour at least. */
export const recycledLong: ObjectProfile = {
  ...recycled,
  reflector: { ...recycled.reflector, watchTimeoutMs: reflectorProfiles.kubelet.watchTimeoutMs },
};

/** Since 1.35 a watch-list instead of LIST and WATCH. */
export const recycledStreamed: ObjectProfile = {
  ...recycled,
  reflector: reflectorProfiles.kubelet,
};
