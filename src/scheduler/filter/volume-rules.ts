// Filters about claims and volumes (upstream: plugins volumerestrictions, nodevolumelimits, volumebinding, volumezone).
import type { Cluster, NodeFacts } from "../cluster-state.ts";
import type { Filter, Refusal } from "../plugin.ts";
import type { PodFacts } from "../pod-facts.ts";
import { claimClassOf, suitsNode } from "../../api/volume/match.ts";
import { decideVolumes, sortClaims } from "../volumes/decide.ts";
import type { Volume, VolumeView } from "../volumes/volume-view.ts";

const refusal = (reason: string): Refusal => ({ reasons: [reason], resolvable: false });

/** Why the pod can be on no node whatever, for its claims. */
export function hopelessVolumes({ claims }: PodFacts, { volumes }: Cluster): string | undefined {
  if (claims.length === 0) return undefined;
  const sorted = sortClaims(claims, volumes);
  return typeof sorted === "string" ? sorted : undefined;
}

const inUse: Refusal = {
  reasons: [
    "node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode",
  ],
  resolvable: true,
};

export const volumeRestrictions: Filter = {
  name: "VolumeRestrictions",
  wakers: ["node added", "pod gone", "volume changed"],
  prepare({ claims, uid }, cluster) {
    const alone = claims.filter((key) =>
      cluster.volumes.claim(key)?.spec?.accessModes?.includes("ReadWriteOncePod"),
    );
    const isTaken = alone.some((key) => [...cluster.usersOf(key)].some((user) => user !== uid));
    return isTaken ? () => inUse : undefined;
  },
};

const full: Refusal = { reasons: ["node(s) exceed max volume count"], resolvable: true };

export const nodeVolumeLimits: Filter = {
  name: "NodeVolumeLimits",
  wakers: ["node added", "pod gone", "volume changed"],
  prepare({ claims }, { volumes }) {
    if (claims.length === 0) return undefined;
    const wanted = byDriver(claims, volumes);
    if (wanted.size === 0) return undefined;
    return (node) => (isFull(node, wanted, volumes) ? full : undefined);
  },
};

function isFull(
  node: NodeFacts,
  wanted: ReadonlyMap<string, ReadonlySet<string>>,
  volumes: VolumeView,
): boolean {
  for (const [driver, claims] of wanted) {
    const most = volumes.attachMax(node.name, driver);
    if (most === undefined) continue;
    const there = [...node.pods.values()].flatMap((pod) => pod.claims);
    const attached = byDriver(there, volumes).get(driver) ?? new Set<string>();
    if (new Set([...attached, ...claims]).size > Math.max(most, attached.size)) return true;
  }
  return false;
}

/** CSI driver -> claims that have, or will have, a volume of it. */
function byDriver(keys: readonly string[], volumes: VolumeView): Map<string, Set<string>> {
  const drivers = new Map<string, Set<string>>();
  for (const key of keys) {
    const claim = volumes.claim(key);
    if (claim === undefined) continue;
    const volume = volumes.volume(claim.spec?.volumeName ?? "");
    const made = volume === undefined ? volumes.storageClass(claimClassOf(claim))?.provisioner : "";
    const driver = volume?.spec?.csi?.driver ?? made ?? "";
    if (driver === "") continue;
    const known = drivers.get(driver);
    if (known === undefined) drivers.set(driver, new Set([key]));
    else known.add(key);
  }
  return drivers;
}

const elsewhere = refusal("node(s) didn't match PersistentVolume's node affinity");
const unavailable = refusal("node(s) didn't find available persistent volumes to bind");
const lost = refusal("node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)");

export const volumeBinding: Filter = {
  name: "VolumeBinding",
  wakers: ["node added", "node labels", "volume changed"],
  prepare({ claims }, { volumes }) {
    if (claims.length === 0) return undefined;
    const sorted = sortClaims(claims, volumes);
    // Hopeless ones were refused before.
    if (typeof sorted === "string") return () => refusal(sorted);
    const { bound, delayed } = sorted;
    const held = bound.map(({ spec }) => volumes.volume(spec?.volumeName ?? ""));
    return ({ node }) => {
      if (held.includes(undefined)) return lost;
      const reachable = held.every((volume) => volume !== undefined && suitsNode(volume, node));
      const decision = decideVolumes(delayed, node, volumes);
      if (reachable && decision !== undefined) return undefined;
      const reasons = [
        ...(reachable ? [] : elsewhere.reasons),
        ...(decision === undefined ? unavailable.reasons : []),
      ];
      return { reasons, resolvable: false };
    };
  },
};

const otherZone = refusal("node(s) had no available volume zone");
const zoneLabels = [
  "topology.kubernetes.io/zone",
  "topology.kubernetes.io/region",
  "failure-domain.beta.kubernetes.io/zone",
  "failure-domain.beta.kubernetes.io/region",
];

export const volumeZone: Filter = {
  name: "VolumeZone",
  wakers: ["node added", "node labels", "volume changed"],
  prepare({ claims }, { volumes }) {
    const places = claims
      .map((key) => volumes.volume(volumes.claim(key)?.spec?.volumeName ?? ""))
      .flatMap(placesOf);
    if (places.length === 0) return undefined;
    return ({ labels }) =>
      places.every(({ key, values }) => values.includes(labels[key] ?? "")) ? undefined : otherZone;
  },
};

/** Several zones of one volume are written as `a__b`. */
function placesOf(volume: Volume | undefined): { key: string; values: readonly string[] }[] {
  const labels = volume?.metadata.labels ?? {};
  return zoneLabels.flatMap((key) => {
    const value = labels[key];
    return value === undefined ? [] : [{ key, values: value.split("__") }];
  });
}
