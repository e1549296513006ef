// The filters in the order in which a node is asked; the first that refuses gives the reason.
import type { Filter, NodeFilter } from "../plugin.ts";
import { interPodAffinity } from "./inter-pod-affinity.ts";
import { nodeAffinity, nodeName, nodeUnschedulable, taintToleration } from "./node-rules.ts";
import { nodePorts, nodeResourcesFit } from "./room.ts";
import { podTopologySpread } from "./topology-spread.ts";
import { nodeVolumeLimits, volumeBinding, volumeRestrictions, volumeZone } from "./volume-rules.ts";

export const nodeFilters: readonly NodeFilter[] = [
  nodeUnschedulable,
  nodeName,
  taintToleration,
  nodeAffinity,
  nodePorts,
  nodeResourcesFit,
];

export const clusterFilters: readonly Filter[] = [
  volumeRestrictions,
  nodeVolumeLimits,
  volumeBinding,
  volumeZone,
  podTopologySpread,
  interPodAffinity,
];

export const filters: readonly Filter[] = [...nodeFilters, ...clusterFilters];
