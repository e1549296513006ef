// Why a pod is on no node, in the words that people search for (upstream: framework/types.go FitError).
import type { Verdict } from "./plan.ts";

/** What a decision found that placed the pod nowhere. */
export type Unfit = Pick<Verdict & { do: "wait" }, "refusals" | "hopeless">;

export const noNodesMessage = "no nodes available to schedule pods";

/** `0/3 nodes are available: 1 node(s) were unschedulable, 2 Insufficient cpu. preemption: ...` */
export function fitMessage(
  nodes: number,
  { refusals, hopeless }: Unfit,
  afterwards: string,
): string {
  if (nodes === 0) return noNodesMessage;
  const reasons = [...refusals.values()].flatMap((refused) => refused.reasons);
  const after = afterwards === "" ? "" : ` ${afterwards}`;
  const why = hopeless === "" ? tally(reasons) : hopeless;
  return `0/${nodes} nodes are available: ${why}.${after}`;
}

/**
 * What upstream's plugins say when no node was found: the one for dynamic resources first, then preemption. `unmoved`: why
 * nothing was preempted; undefined: something was, or nothing was tried.
 */
export function afterwards({ hopeless }: Unfit, unmoved: string | undefined): string {
  // The first one's state is made after the check of volumes, which it did not come to.
  if (hopeless !== "") return "not found";
  return unmoved === undefined ? "" : `no new claims to deallocate, ${unmoved}`;
}

/** `2 Insufficient cpu, 3 Too many pods`, sorted as texts. */
export function tally(reasons: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts]
    .map(([reason, count]) => `${count} ${reason}`)
    .toSorted()
    .join(", ");
}
