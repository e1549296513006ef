// How fast nodes of a zone may be given up, by how many of the zone are down: a zone that is down as a whole is more
// likely cut off than dead. Pure.
import type { Node } from "../../api/types/core-v1.ts";
import type { NodeLifecycleProfile } from "./profile.ts";
import { readinessOf } from "./taints.ts";

export type ZoneState = "Normal" | "PartialDisruption" | "FullDisruption";

export interface ZonePlan {
  readonly state: ZoneState;
  /** Nodes a second that may get a NoExecute taint. */
  readonly rate: number;
}

export function zoneOf({ metadata }: Node): string {
  const labels = metadata.labels ?? {};
  const region = labels["topology.kubernetes.io/region"] ?? "";
  const zone = labels["topology.kubernetes.io/zone"] ?? "";
  return region === "" && zone === "" ? "" : `${region}:\u0000:${zone}`;
}

export interface ZonesPlan {
  readonly zones: ReadonlyMap<string, ZonePlan>;
  /** Every zone is down as a whole: it is we who are cut off, and nothing is given up. */
  readonly blind: boolean;
}

export function planZones(nodes: readonly Node[], profile: NodeLifecycleProfile): ZonesPlan {
  const counts = new Map<string, { ready: number; total: number }>();
  for (const node of nodes) {
    const zone = zoneOf(node);
    const count = counts.get(zone) ?? { ready: 0, total: 0 };
    counts.set(zone, count);
    count.total++;
    if (readinessOf(node) === "True") count.ready++;
  }
  const states = [...counts].map(
    ([zone, count]) => [zone, stateOf(count, profile), count] as const,
  );
  const blind = states.length > 0 && states.every(([, state]) => state === "FullDisruption");
  const zones = states.map(([zone, state, { total }]) => {
    const rate = blind ? 0 : rateOf(state, total, profile);
    return [zone, { state, rate }] as const;
  });
  return { zones: new Map(zones), blind };
}

function stateOf(
  { ready, total }: { readonly ready: number; readonly total: number },
  { unhealthyZonePart }: NodeLifecycleProfile,
): ZoneState {
  const down = total - ready;
  if (ready === 0) return "FullDisruption";
  return down > 2 && down / total >= unhealthyZonePart ? "PartialDisruption" : "Normal";
}

function rateOf(state: ZoneState, total: number, profile: NodeLifecycleProfile): number {
  if (state !== "PartialDisruption") return profile.evictionRate;
  return total > profile.largeZoneNodes ? profile.secondaryEvictionRate : 0;
}
