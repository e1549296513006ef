// What can happen to the machine under a simulated node, as the annotations by which its kubelet hears of it (docs/nodes.md).
import { annotations } from "./node-object.ts";

export type NodeDeed =
  | { readonly do: "kill" | "cut" | "restart" }
  /** Heartbeats come so many seconds apart; the clock is so many seconds ahead, or behind with a minus. 0: as usual. */
  | { readonly do: "late" | "skew"; readonly seconds: number };

/** null takes an annotation away. */
export function changesOf(deed: NodeDeed, now: Date): Record<string, string | null> {
  switch (deed.do) {
    case "kill":
      return { [annotations.power]: "off" };
    case "cut":
      return { [annotations.network]: "cut" };
    case "late":
      return { [annotations.heartbeat]: textOf(deed.seconds) };
    case "skew":
      return { [annotations.clockOffset]: textOf(deed.seconds) };
    default:
      return {
        [annotations.power]: null,
        [annotations.network]: null,
        [annotations.reboot]: now.toISOString(),
      };
  }
}

function textOf(seconds: number): string | null {
  return seconds === 0 ? null : String(seconds);
}
