// What simulated nodes use of cpu and memory, as a seam between the towers: the server shows it as metrics.k8s.io
// (apiserver/resource-metrics.ts), nodes answer (kubelet/usage-meter.ts), cluster/ joins the two.
import type { Labels } from "./meta/label-selector.ts";

export interface Usage {
  readonly cpuMillis: number;
  readonly memoryBytes: number;
}

interface Sampled {
  readonly name: string;
  readonly labels: Labels;
  /** Wall clock ms, at the end of the window. */
  readonly at: number;
  readonly windowMs: number;
}

export interface NodeUsage extends Sampled {
  readonly usage: Usage;
}

export interface PodUsage extends Sampled {
  readonly namespace: string;
  readonly containers: readonly { readonly name: string; readonly usage: Usage }[];
}

export interface PodName {
  readonly namespace: string;
  readonly name: string;
  readonly labels: Labels;
}

/** Pods and nodes that have not been measured yet, or cannot be reached, are left out. */
export interface NodeMetrics {
  nodes(): readonly NodeUsage[];
  /** Of one namespace, or of all; only those that are `wanted`. */
  pods(namespace: string | undefined, wanted: (pod: PodName) => boolean): readonly PodUsage[];
}

export const noNodeMetrics: NodeMetrics = { nodes: () => [], pods: () => [] };
