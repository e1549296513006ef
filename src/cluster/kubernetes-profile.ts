// How a minor version of Kubernetes behaves: one record of the profiles that the components have, each with its own data
// in its own folder. The versions are data here and nowhere in the code (docs/profiles.md).
import { type AccountTokenProfile, accountTokenProfiles } from "../access/account-tokens.ts";
import { type JobProfile, jobProfiles } from "../controllers/job/profile.ts";
import {
  type NodeLifecycleProfile,
  nodeLifecycleProfiles,
} from "../controllers/node-lifecycle/profile.ts";
import {
  type TaintEvictionProfile,
  taintEvictionProfiles,
} from "../controllers/taint-eviction/profile.ts";
import { type FlowControlProfile, flowcontrolProfileOf } from "../flowcontrol/profile.ts";
import { type ReflectorProfile, clientGoProfiles } from "../informer/reflector-profile.ts";
import { type KubeletProfile, kubeletProfiles } from "../kubelet/profile.ts";
import { type SchedulerProfile, schedulerProfiles } from "../scheduler/profile.ts";
import { type Steps, stepAt } from "../std/steps.ts";
import { type ReadRouting, readRoutings } from "../watchcache/read-routing.ts";

/** A component that differs between versions gets a line here and one in `kubernetesProfile`. */
export interface KubernetesProfile {
  /** 16 is Kubernetes 1.16. */
  readonly minor: number;
  readonly accountTokens: AccountTokenProfile;
  readonly job: JobProfile;
  readonly kubelet: KubeletProfile;
  readonly nodeLifecycle: NodeLifecycleProfile;
  /** Of the informers of controllers and scheduler. */
  readonly reflector: ReflectorProfile;
  /** Where the server answers LIST and GET from. */
  readonly reads: ReadRouting;
  readonly scheduler: SchedulerProfile;
  readonly flowControl: FlowControlProfile;
  /** Of a connection. */
  readonly http2StreamsMax: number;
  /** Undefined: the node lifecycle controller evicts pods itself. */
  readonly taintEviction: TaintEvictionProfile | undefined;
}

export const minorOldest = 16;
export const minorNewest = 36;

/** Go's own number, until CVE-2023-44487 made kube-apiserver lower it. */
const http2Streams: Steps<number> = [
  [16, 250],
  [29, 100],
];

/** Any minor from the oldest to the newest. */
export function kubernetesProfile(minor: number): KubernetesProfile {
  return {
    minor,
    accountTokens: stepAt(accountTokenProfiles, minor),
    flowControl: flowcontrolProfileOf(minor),
    http2StreamsMax: stepAt(http2Streams, minor),
    job: stepAt(jobProfiles, minor),
    kubelet: stepAt(kubeletProfiles, minor),
    nodeLifecycle: stepAt(nodeLifecycleProfiles, minor),
    reflector: stepAt(clientGoProfiles, minor),
    reads: stepAt(readRoutings, minor),
    scheduler: stepAt(schedulerProfiles, minor),
    taintEviction: stepAt(taintEvictionProfiles, minor),
  };
}

export const newestProfile: KubernetesProfile = kubernetesProfile(minorNewest);

const podEvictionTimeoutMs = 300_000;
/** The last minor that could do without. */
const taintManagerOptionalUpTo = 26;

/** As with --enable-taint-manager=false, which no minor after 1.26 has. Undefined: this one needs it. */
export function withoutTaintManager(profile: KubernetesProfile): KubernetesProfile | undefined {
  if (profile.minor > taintManagerOptionalUpTo) return undefined;
  const podEviction = { timeoutMs: podEvictionTimeoutMs };
  return {
    ...profile,
    nodeLifecycle: { ...profile.nodeLifecycle, podEviction },
    taintEviction: undefined,
  };
}

/** `1.22`, `v1.22` and `1.22.3`; undefined: not one that is known. */
export function parseMinor(version: string): number | undefined {
  const minor = Number(/^v?1\.(\d{2})(\.\d+)?$/.exec(version)?.[1] ?? "0");
  return minor >= minorOldest && minor <= minorNewest ? minor : undefined;
}
