// Whether a node is heard of, by its status or its Lease, and what its conditions must say when it is not. Times are the
// controller's own: a node's clock proves nothing. Pure (upstream: tryUpdateNodeHealth).
import type { Lease } from "../../api/types/coordination-v1.ts";
import type { Node, NodeCondition } from "../../api/types/core-v1.ts";
import type { Clock } from "../../host/host.ts";
import type { NodeLifecycleProfile } from "./profile.ts";

/** What was last heard of one node. */
export interface Heard {
  readonly heartbeat: string;
  readonly renewal: string;
  /** Monotonic ms. */
  readonly at: number;
}

export function nextHeard(
  before: Heard | undefined,
  node: Node,
  lease: Lease | undefined,
  at: number,
): Heard {
  const ready = node.status?.conditions?.find(({ type }) => type === "Ready");
  const heartbeat = `${ready?.lastHeartbeatTime ?? ""} ${ready?.status ?? ""}`;
  const renewal = lease?.spec?.renewTime ?? "";
  if (before === undefined) return { heartbeat, renewal, at };
  // That we made it Unknown ourselves is no sign of life.
  const spoke = before.heartbeat !== heartbeat && ready?.status !== "Unknown";
  const renewed = renewal !== "" && before.renewal !== renewal;
  return { heartbeat, renewal, at: spoke || renewed ? at : before.at };
}

export function isSilent(
  node: Node,
  { at }: Heard,
  { now, profile }: { readonly now: number; readonly profile: NodeLifecycleProfile },
): boolean {
  const spoken = node.status?.conditions?.some(({ type }) => type === "Ready") ?? false;
  const limit = spoken ? profile.gracePeriodMs : profile.startupGracePeriodMs;
  return now - at > limit;
}

/** How long the node is silent, or says that it is not ready. */
export function awayMs(
  node: Node,
  heard: Heard | undefined,
  clock: Pick<Clock, "now" | "monotonic">,
): number {
  const ready = node.status?.conditions?.find(({ type }) => type === "Ready");
  if (ready?.status === "False") return clock.now() - Date.parse(ready.lastTransitionTime ?? "");
  return heard === undefined ? 0 : clock.monotonic() - heard.at;
}

const judged = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"];

/** The conditions of a node that is not heard of; undefined when they say so already. `now`: RFC 3339. */
export function unknownConditions(node: Node, now: string): NodeCondition[] | undefined {
  const conditions = [...(node.status?.conditions ?? [])];
  let changed = false;
  for (const type of judged) {
    const at = conditions.findIndex((one) => one.type === type);
    const old = conditions[at];
    if (old?.status === "Unknown") continue;
    changed = true;
    if (old === undefined)
      conditions.push({
        type,
        status: "Unknown",
        lastHeartbeatTime: node.metadata.creationTimestamp ?? null,
        lastTransitionTime: now,
        reason: "NodeStatusNeverUpdated",
        message: "Kubelet never posted node status.",
      });
    else
      conditions[at] = {
        ...old,
        status: "Unknown",
        lastTransitionTime: now,
        reason: "NodeStatusUnknown",
        message: "Kubelet stopped posting node status.",
      };
  }
  return changed ? conditions : undefined;
}
