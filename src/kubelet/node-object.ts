// The Node object of a simulated node: what it is made with, and what its kubelet keeps true in its status
// (upstream: kubelet_node_status.go, nodestatus/setters.go).
import { formatTime } from "../api/codec/time.ts";
import type { Node, NodeCondition, NodeStatus, NodeSystemInfo } from "../api/types/core-v1.ts";
import { changedFields } from "./changed-fields.ts";
import { nodeCapacityUsual } from "./profile.ts";
import { kubernetesVersion } from "../api/kubernetes-version.ts";

export const annotations = {
  /** Whose value is "true": this process runs the node. */
  simulated: "wavetank.dev/simulated",
  /** "off": the machine is dead. */
  power: "wavetank.dev/power",
  /** "cut": the machine runs, and reaches nobody. */
  network: "wavetank.dev/network",
  /** Any text; another text than before reboots the machine. */
  reboot: "wavetank.dev/reboot",
  /** Seconds by which the machine's clock is ahead, or with a minus behind. */
  clockOffset: "wavetank.dev/clock-offset-seconds",
  /** Seconds between heartbeats, where they come late. */
  heartbeat: "wavetank.dev/heartbeat-seconds",
} as const;

/** A number that the annotation gives, in ms; undefined: it says none. */
export function msSaid({ metadata }: Node, annotation: string): number | undefined {
  const text = metadata.annotations?.[annotation]?.trim() ?? "";
  const seconds = text === "" ? Number.NaN : Number(text);
  return Number.isFinite(seconds) ? seconds * 1_000 : undefined;
}

export function isSimulated({ metadata }: Node): boolean {
  return metadata.annotations?.[annotations.simulated] === "true";
}

export interface NewNode {
  /** From 0. */
  readonly index: number;
  readonly now: number;
  /** Pods that it takes; undefined: as usual. */
  readonly podsMax: number | undefined;
}

/** As it is registered. */
export function newNode(name: string, { index, now, podsMax }: NewNode): Node {
  const podCIDR = podRange(index);
  const pods = podsMax === undefined ? {} : { pods: String(podsMax) };
  const capacity = { ...nodeCapacityUsual, ...pods };
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name,
      labels: {
        "beta.kubernetes.io/arch": "amd64",
        "beta.kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/hostname": name,
        "kubernetes.io/os": "linux",
      },
      annotations: {
        [annotations.simulated]: "true",
        "volumes.kubernetes.io/controller-managed-attach-detach": "true",
      },
    },
    spec: { podCIDR, podCIDRs: [podCIDR] },
    status: nodeStatusOf({ metadata: { name }, status: { capacity } }, { index, boot: 0, now }),
  };
}

export interface NodeFacts {
  readonly index: number;
  /** How often the machine was booted again. */
  readonly boot: number;
  readonly now: number;
}

/** What the kubelet says now. Capacity that somebody gave the object stays. */
export function nodeStatusOf(node: Node, facts: NodeFacts): NodeStatus {
  const { name = "" } = node.metadata;
  const given = node.status?.capacity ?? {};
  const capacity = Object.keys(given).length > 0 ? given : nodeCapacityUsual;
  const allocatable = node.status?.allocatable ?? {};
  return {
    capacity,
    allocatable: Object.keys(allocatable).length > 0 ? allocatable : capacity,
    conditions: conditionsOf(node, facts.now),
    addresses: [
      { type: "InternalIP", address: hostAddress(facts.index) },
      { type: "Hostname", address: name },
    ],
    daemonEndpoints: { kubeletEndpoint: { Port: 10_250 } },
    nodeInfo: systemInfo(name, facts.boot),
  };
}

/** What differs from the server's view of it, as a strategic merge patch: of a usual heartbeat, four times. */
export function nodeStatusPatch({ status: current = {} }: Node, wanted: NodeStatus): object {
  const { conditions = [], ...rest } = wanted;
  const changed = conditions.map((one) => {
    const before = current.conditions?.find(({ type }) => type === one.type);
    // The type says whose the fields are.
    return Object.assign({ type: one.type }, changedFields(before, one));
  });
  return { status: { ...changedFields(current, rest), conditions: changed } };
}

function systemInfo(name: string, boot: number): NodeSystemInfo {
  return {
    machineID: name,
    systemUUID: name,
    bootID: `${name}-boot-${boot}`,
    kernelVersion: "6.12.0-wavetank",
    osImage: "Wavetank simulated node",
    containerRuntimeVersion: "containerd://2.2.0",
    kubeletVersion: kubernetesVersion,
    kubeProxyVersion: "",
    operatingSystem: "linux",
    architecture: "amd64",
  };
}

const healthy: readonly (readonly [string, string, string, string])[] = [
  [
    "MemoryPressure",
    "False",
    "KubeletHasSufficientMemory",
    "kubelet has sufficient memory available",
  ],
  ["DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"],
  ["PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"],
  ["Ready", "True", "KubeletReady", "kubelet is posting ready status"],
];

function conditionsOf(node: Node, now: number): NodeCondition[] {
  const time = formatTime({ seconds: Math.floor(now / 1_000), nanos: 0 });
  return healthy.map(([type, status, reason, message]) => {
    const before = node.status?.conditions?.find((one) => one.type === type);
    const lastTransitionTime = before?.status === status ? before.lastTransitionTime : time;
    return {
      type,
      status,
      lastHeartbeatTime: time,
      lastTransitionTime: lastTransitionTime ?? time,
      reason,
      message,
    };
  });
}

/** Whether the server says of the node what its kubelet last said. */
export function isAsSaid({ status = {} }: Node): boolean {
  return healthy.every(([type, wanted, reason]) => {
    const said = status.conditions?.find((one) => one.type === type);
    return said?.status === wanted && said.reason === reason;
  });
}

/* ---- addresses: nodes in 172.16.0.0/12, a /24 of 10.128.0.0/9 for the pods of each ---- */

export const nodesMax = 32_768;

function hostAddress(index: number): string {
  const at = index + 2;
  return `172.${18 + (at >> 16)}.${(at >> 8) & 255}.${at & 255}`;
}

export function podRange(index: number): string {
  return `10.${128 + (index >> 8)}.${index & 255}.0/24`;
}

/** The node's place among all, from its range of pod addresses; undefined when it has none of ours. */
export function indexOf(node: Node): number | undefined {
  const match = /^10\.(\d+)\.(\d+)\.0\/24$/.exec(node.spec?.podCIDR ?? "");
  if (match === null) return undefined;
  const index = (Number(match[1]) - 128) * 256 + Number(match[2]);
  return index >= 0 && index < nodesMax ? index : undefined;
}

export function internalAddress(node: Node): string {
  return node.status?.addresses?.find(({ type }) => type === "InternalIP")?.address ?? "";
}
