// Which of the changes of a node matter to scheduling; heartbeats do not (upstream: eventhandlers.go nodeSchedulingPropertiesChange).
import type { Node } from "../api/types/core-v1.ts";
import { equalJson } from "../std/json.ts";
import type { ClusterEvent } from "./plugin.ts";

/** None: nothing that a filter or score looks at is different. */
export function nodeEventsOf(before: Node, after: Node): ClusterEvent[] {
  const differs = (get: (node: Node) => unknown): boolean => !equalJson(get(before), get(after));
  return [
    ...(differs(({ status }) => status?.allocatable) ? (["node allocatable"] as const) : []),
    ...(differs(({ metadata }) => metadata.labels) ? (["node labels"] as const) : []),
    ...(differs(({ spec }) => [spec?.taints, spec?.unschedulable])
      ? (["node taints"] as const)
      : []),
  ];
}
