// How clients of different kinds and ages read the world, as data: which revision they list from, how long they watch,
// how they back off (upstream: client-go/tools/cache/reflector.go at the versions named; kube-rs watcher).
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
  /** resourceVersion of later LISTs: the last one seen, or as the first. */
  readonly relist: "last" | "first";
  /** Page size of LISTs; a server ignores it at resourceVersion 0. */
  readonly pageLimit: number;
  /** A watch's timeoutSeconds is drawn from [min, max). */
  readonly watchTimeoutMs: { readonly min: number; readonly max: number };
  readonly backoff: BackoffLaw;
}

const minute = 60_000;

/** client-go since 1.18; 1.35 and newer begin with a watch-list. */
export const clientGoProfile: ReflectorProfile = {
  watchList: true,
  firstList: "0",
  relist: "last",
  pageLimit: 500,
  watchTimeoutMs: { min: 5 * minute, max: 10 * minute },
  backoff: { initialMs: 800, maxMs: 30_000, factor: 2, jitter: 1, resetMs: 2 * minute },
};

export type ReflectorProfileName =
  | "client-go"
  | "client-go 1.18"
  | "client-go 1.17"
  | "client-go 1.16"
  | "kubelet"
  | "kube-rs";

const withoutWatchList: ReflectorProfile = { ...clientGoProfile, watchList: false };

/** Up to 1.17 a fixed period of a second. */
const fixedPeriod: ReflectorProfile = {
  ...withoutWatchList,
  backoff: { initialMs: 1_000, maxMs: 1_000, factor: 1, jitter: 0, resetMs: 2 * minute },
};

/** Up to 1.16 every list from revision 0. */
const alwaysFromAny: ReflectorProfile = { ...fixedPeriod, relist: "first" };

const kubeletWatches = { watchTimeoutMs: { min: 30 * minute, max: 60 * minute } };

export const reflectorProfiles: Readonly<Record<ReflectorProfileName, ReflectorProfile>> = {
  "client-go": clientGoProfile,
  "client-go 1.18": withoutWatchList,
  "client-go 1.17": fixedPeriod,
  "client-go 1.16": alwaysFromAny,
  /** Kubelets since 1.31 watch longer. */
  kubelet: { ...clientGoProfile, ...kubeletWatches },
  /** Insists on the newest state with every list. */
  "kube-rs": {
    ...clientGoProfile,
    watchList: false,
    firstList: "",
    relist: "first",
    watchTimeoutMs: { min: 290_000, max: 290_000 },
  },
};

/** client-go as built into the components of a Kubernetes minor. */
export const clientGoProfiles: Steps<ReflectorProfile> = [
  [16, alwaysFromAny],
  [17, fixedPeriod],
  [18, withoutWatchList],
  [35, clientGoProfile],
];

/** The same in a kubelet of that minor. */
export const kubeletReflectorProfiles: Steps<ReflectorProfile> = [
  [16, alwaysFromAny],
  [17, fixedPeriod],
  [18, withoutWatchList],
  [31, { ...withoutWatchList, ...kubeletWatches }],
  [35, reflectorProfiles.kubelet],
];
