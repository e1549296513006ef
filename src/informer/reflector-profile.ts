// How clients of different kinds and ages read the world, as data: which revision they list from, how long they watch,
// what makes them list again, how they back off. Each law was read in the library's own source at the version named
// (client-go/tools/cache/reflector.go, kube-runtime/src/watcher.rs, ReflectorRunnable.java, watchercache.go ...).
import type { Steps } from "../std/steps.ts";

export interface BackoffLaw {
  readonly initialMs: number;
  readonly maxMs: number;
  readonly factor: number;
  /** A delay is drawn from [d, d * (1 + jitter)). */
  readonly jitter: number;
  /** After so long without a delay the next one is the first again. */
  readonly resetMs: number;
}

export interface ReflectorProfile {
  /** Ask for the initial state as a stream (sendInitialEvents) before falling back to LIST. */
  readonly watchList: boolean;
  /** resourceVersion of the very first LIST: "0" takes whatever the server's cache has, "" insists on the newest. */
  readonly firstList: "0" | "";
  /** resourceVersionMatch beside revision 0. */
  readonly listMatch: "NotOlderThan" | undefined;
  /** resourceVersion of later LISTs: the last one seen, or as the first. */
  readonly relist: "last" | "first";
  /** Page size of LISTs; a server ignores it at resourceVersion 0. 0: everything at once. */
  readonly pageLimit: number;
  /** A watch's timeoutSeconds is drawn from [min, max); undefined: the server decides. */
  readonly watchTimeoutMs: { readonly min: number; readonly max: number } | undefined;
  readonly allowWatchBookmarks: boolean;
  /** After which failures a watch is begun again where it was; after all others everything is listed anew. */
  readonly watchesAgainAfter: "nothing" | "refused" | "refused-or-busy" | "all-but-expired";
  /** For a minute, an internal error in a watch is no reason to list. */
  readonly retriesInternalErrors: boolean;
  /** A watch that ended sooner without a single event counts as failed; 0: none does. */
  readonly shortWatchMs: number;
  readonly backoff: BackoffLaw;
}

const minute = 60_000;

/** client-go since 1.18; 1.35 and newer begin with a watch-list. */
export const clientGoProfile: ReflectorProfile = {
  watchList: true,
  firstList: "0",
  listMatch: undefined,
  relist: "last",
  pageLimit: 500,
  watchTimeoutMs: { min: 5 * minute, max: 10 * minute },
  allowWatchBookmarks: true,
  watchesAgainAfter: "refused-or-busy",
  retriesInternalErrors: true,
  shortWatchMs: 1_000,
  backoff: { initialMs: 800, maxMs: 30_000, factor: 2, jitter: 1, resetMs: 2 * minute },
};

const clientGo118: ReflectorProfile = { ...clientGoProfile, watchList: false };

/** A fixed period of a second, and a busy server is a reason to list. */
const clientGo117: ReflectorProfile = {
  ...clientGo118,
  watchesAgainAfter: "refused",
  retriesInternalErrors: false,
  backoff: fixedDelay(1_000),
};

/** Every list is from revision 0. */
const clientGo116: ReflectorProfile = { ...clientGo117, relist: "first" };

/** client-go as built into the components of a Kubernetes minor. */
export const clientGoProfiles: Steps<ReflectorProfile> = [
  [16, clientGo116],
  [17, clientGo117],
  [18, clientGo118],
  [35, clientGoProfile],
];

/**
 * Insists on the newest state with every list; a broken watch goes on where it was, whatever broke it, and only a
 * revision that is gone makes it list again.
 */
const kubeRs: ReflectorProfile = {
  ...clientGo118,
  firstList: "",
  relist: "first",
  watchTimeoutMs: { min: 290_000, max: 290_000 },
  watchesAgainAfter: "all-but-expired",
  shortWatchMs: 0,
};

/** `watcher` without `default_backoff()` tries again at once; this long a try takes, so that simulated time goes on. */
const atOnce = fixedDelay(5);

export type ReflectorProfileName =
  | "client-go"
  | "client-go 1.31"
  | "client-go 1.18"
  | "client-go 1.17"
  | "client-go 1.16"
  | "kubelet"
  | "kubelet 1.30"
  | "kube-rs"
  | "kube-rs 0.84"
  | "kube-rs 0.84 any"
  | "kube-rs 0.82"
  | "kube-rs 0.82 any"
  | "kube-rs 0.80"
  | "kube-rs without backoff"
  | "kube-rs 0.80 without backoff"
  | "java"
  | "fabric8"
  | "python"
  | "calico";

export const reflectorProfiles: Readonly<Record<ReflectorProfileName, ReflectorProfile>> = {
  "client-go": clientGoProfile,
  /** The same law: what 1.31 changed is where the server reads from. */
  "client-go 1.31": clientGo118,
  "client-go 1.18": clientGo118,
  "client-go 1.17": clientGo117,
  "client-go 1.16": clientGo116,
  /** Kubelets since 1.31 watch longer. */
  kubelet: { ...clientGoProfile, watchTimeoutMs: { min: 30 * minute, max: 60 * minute } },
  "kubelet 1.30": clientGo118,
  "kube-rs": kubeRs,
  "kube-rs 0.84": kubeRs,
  "kube-rs 0.84 any": { ...kubeRs, firstList: "0", listMatch: "NotOlderThan" },
  /** Pages came with 0.84. */
  "kube-rs 0.82": { ...kubeRs, pageLimit: 0 },
  "kube-rs 0.82 any": { ...kubeRs, pageLimit: 0, firstList: "0", listMatch: "NotOlderThan" },
  /** Knew no other semantic than the newest state. */
  "kube-rs 0.80": { ...kubeRs, pageLimit: 0 },
  "kube-rs without backoff": { ...kubeRs, backoff: atOnce },
  "kube-rs 0.80 without backoff": { ...kubeRs, pageLimit: 0, backoff: atOnce },
  /** The official Java client: list and watch are begun anew a second after they ended, by a fixed-delay executor. */
  java: {
    ...clientGo117,
    pageLimit: 0,
    watchTimeoutMs: { min: 5 * minute, max: 5 * minute },
    allowWatchBookmarks: false,
    shortWatchMs: 0,
  },
  /** Lists once, whole and newest; then reconnects its watch for as long as its revision is there. */
  fabric8: {
    ...kubeRs,
    pageLimit: 0,
    watchTimeoutMs: undefined,
    allowWatchBookmarks: false,
    backoff: { initialMs: 1_000, maxMs: 32_000, factor: 2, jitter: 0, resetMs: minute },
  },
  /** The loop that users of the Python client write: list, watch, and again from the start after an error. */
  python: {
    ...kubeRs,
    pageLimit: 0,
    watchTimeoutMs: undefined,
    allowWatchBookmarks: false,
    watchesAgainAfter: "nothing",
    backoff: atOnce,
  },
  /** calico-node and Typha: a watch that cannot be begun means a full list, each second, for ever. */
  calico: {
    ...clientGo117,
    relist: "first",
    pageLimit: 0,
    watchTimeoutMs: undefined,
    allowWatchBookmarks: false,
    watchesAgainAfter: "nothing",
    shortWatchMs: 0,
  },
};

function fixedDelay(ms: number): BackoffLaw {
  return { initialMs: ms, maxMs: ms, factor: 1, jitter: 0, resetMs: 2 * minute };
}
