// A rehearsal's script as data: on which machines, who lives there, what happens when, what guards, and what is held
// against what. scenario-schema.ts says what a file may hold; docs/rehearse.md tells it to people.
import type { CostChanges } from "./cost-profile.ts";
import type { Fixture, Manifest, Population } from "../fleet/population.ts";

export interface Scenario {
  readonly name: string;
  readonly title: string;
  readonly summary: string;
  /** `1.25`: as that Kubernetes behaves and costs. `wavetank`: as this server does. */
  readonly profile: string;
  /** What costs something else than the profile says. */
  readonly costs?: CostChanges;
  readonly controlPlane: ControlPlaneScript;
  /** Simulated nodes node-1 ... node-N with kubelets. */
  readonly nodes: number;
  /** Where the kubelets differ from those of the profile. */
  readonly kubelet: KubeletScript;
  /** kube-controller-manager and kube-scheduler. */
  readonly controllers: boolean;
  readonly prepare: readonly Fixture[];
  readonly populations: readonly Population[];
  readonly durationSeconds: number;
  readonly timeline: readonly Step[];
  readonly guard?: Guard;
  readonly checks: readonly Check[];
  /** Sentences with `{{figure}}`. */
  readonly verdict: { readonly off: string; readonly on: string };
}

export interface KubeletScript {
  /** kubeAPIQPS and kubeAPIBurst; absent: the profile's. */
  readonly qps?: number;
  readonly burst?: number;
  /** Streams of a node's one connection; absent: it opens another when they are used up. */
  readonly streamsMax?: number;
  /** maxPods. */
  readonly podsMax: number;
}

export interface ControlPlaneScript {
  readonly masters: number;
  readonly cores: number;
  readonly memoryGiB: number;
  /** Resident before any data or load. */
  readonly etcdBaseGiB: number;
  readonly apiServerBaseGiB: number;
  /** --quota-backend-bytes: over it etcd refuses writes until it is made smaller. */
  readonly etcdQuotaMiB: number;
  readonly latencyMs: number;
  readonly runawayOwnerLimit: number;
  /** False: the node lifecycle controller evicts by itself, as with --enable-taint-manager=false. */
  readonly taintManager: boolean;
  /** Whether a kubelet kills API servers that answer late. */
  readonly livenessProbe: boolean;
}

/** `atSeconds` from the start, which is when everything that was prepared is there. */
export type Step = { readonly atSeconds: number } & Deed;

export type Deed =
  | {
      readonly kind: "restart";
      readonly what: "api-servers" | "etcd" | "masters";
      readonly order: "together" | "rolling";
      readonly everySeconds: number;
    }
  | OutageDeed
  | { readonly kind: "etcd-defragment" }
  | { readonly kind: "apply"; readonly manifests: readonly Manifest[] }
  | DeleteDeed
  | { readonly kind: "etcd-delete"; readonly prefix: string }
  | {
      readonly kind: "node";
      readonly deed: "kill" | "cut" | "restart";
      readonly names: readonly string[];
    };

/** They are down, and come back by themselves after `forSeconds`. */
export interface OutageDeed {
  readonly kind: "outage";
  readonly what: "api-servers" | "etcd" | "masters";
  /** 1 is master-1. */
  readonly masters: readonly number[];
  /** Absent: to the end. */
  readonly forSeconds?: number;
}

/** As kubectl: found in pages of 500, deleted one after another at 5 requests a second. */
export interface DeleteDeed {
  readonly kind: "delete";
  readonly resource: string;
  readonly namespace?: string;
  /** Absent: all of them. */
  readonly name?: string;
  readonly labelSelector?: string;
  /** --grace-period=0 --force. */
  readonly force: boolean;
}

export interface Guard {
  readonly summary: string;
  readonly manifests: readonly Manifest[];
  /** Made before what the scenario prepares, and instead of it where names are the same. */
  readonly prepare: readonly Fixture[];
  /** The rest is of the server and of the nodes; absent: as it is without the guard. */
  readonly runawayOwnerLimit?: number;
  readonly profile?: string;
  readonly kubelet?: Partial<KubeletScript>;
}

export interface Check {
  readonly name: string;
  readonly guard: "off" | "on" | "both";
  /** A name of figures.ts. */
  readonly figure: string;
  readonly atLeast?: number;
  readonly atMost?: number;
  /** What it is held against. */
  readonly source?: string;
}
