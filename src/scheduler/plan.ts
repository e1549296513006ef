// Where a pod goes: the decision as a pure function of the pod and the cluster. Tables in plan.test.ts (upstream:
// schedule_one.go schedulePod, findNodesThatFitPod, numFeasibleNodesToFind).
import { type Cluster, type NodeFacts, withPods } from "./cluster-state.ts";
import { filters } from "./filter/filters.ts";
import { hopelessVolumes, volumeBinding } from "./filter/volume-rules.ts";
import type { Check, Refusal } from "./plugin.ts";
import type { PodFacts } from "./pod-facts.ts";
import type { SchedulerProfile } from "./profile.ts";
import { totalScores } from "./score/scores.ts";

export interface Refused extends Refusal {
  /** The filter that refused. */
  readonly filter: string;
}

export type Verdict =
  | { readonly do: "bind"; readonly node: string; readonly lookedAt: number }
  | {
      readonly do: "wait";
      readonly refusals: ReadonlyMap<string, Refused>;
      readonly lookedAt: number;
      /** It can be on no node, whatever the nodes are like; "": it depends on them. */
      readonly hopeless: string;
    };

export interface PlanGround {
  readonly profile: SchedulerProfile;
  /** Pods that preempted others on a node and wait until there is room; never the pod itself. */
  readonly nominated: (node: string) => readonly PodFacts[];
  /** Where in the list of nodes to begin looking, so that all get their turn. */
  readonly startAt: number;
  /** Uniform in [0, 1): decides between equals. */
  readonly chance: () => number;
}

export function planPod(pod: PodFacts, cluster: Cluster, ground: PlanGround): Verdict {
  const { nodes } = cluster;
  const hopeless = hopelessVolumes(pod, cluster);
  if (hopeless !== undefined) return waitFor(hopeless, nodes);
  const checks = prepare(pod, cluster);
  const enough = enoughNodes(nodes.length, ground.profile);
  const refusals = new Map<string, Refused>();
  const feasible: NodeFacts[] = [];
  let lookedAt = 0;
  for (; lookedAt < nodes.length && feasible.length < enough; lookedAt++) {
    const node = nodes[(ground.startAt + lookedAt) % nodes.length]!;
    const refused = refusalWithNominated(pod, node, { checks, ground });
    if (refused === undefined) feasible.push(node);
    else refusals.set(node.name, refused);
  }
  if (feasible.length === 0) return { do: "wait", refusals, lookedAt, hopeless: "" };
  return { do: "bind", node: best(pod, feasible, { cluster, ground }), lookedAt };
}

function waitFor(hopeless: string, nodes: readonly NodeFacts[]): Verdict {
  const refused: Refused = { reasons: [hopeless], resolvable: false, filter: volumeBinding.name };
  const refusals = new Map(nodes.map(({ name }) => [name, refused]));
  return { do: "wait", refusals, lookedAt: 0, hopeless };
}

/** The smaller the share, the larger the cluster (upstream's adaptive percentageOfNodesToScore). */
export function enoughNodes(count: number, profile: SchedulerProfile): number {
  const { nodesLookedAtMin, percentMin } = profile;
  if (count < nodesLookedAtMin) return count;
  const percent = Math.max(percentMin, 50 - Math.floor(count / 125));
  return Math.max(nodesLookedAtMin, Math.floor((count * percent) / 100));
}

export type Checks = readonly { readonly filter: string; readonly check: Check }[];

export function prepare(pod: PodFacts, cluster: Cluster): Checks {
  return filters.flatMap(({ name, prepare: make }) => {
    const check = make(pod, cluster);
    return check === undefined ? [] : [{ filter: name, check }];
  });
}

export function refusalOf(node: NodeFacts, checks: Checks): Refused | undefined {
  for (const { filter, check } of checks) {
    const refusal = check(node);
    if (refusal !== undefined) return { ...refusal, filter };
  }
  return undefined;
}

/** Room that was made for others of the same or higher priority is theirs; the pod must fit also without them. */
function refusalWithNominated(
  pod: PodFacts,
  node: NodeFacts,
  { checks, ground }: { readonly checks: Checks; readonly ground: PlanGround },
): Refused | undefined {
  const nominated = ground.nominated(node.name).filter(({ priority }) => priority >= pod.priority);
  if (nominated.length > 0) {
    const crowded = withPods(node, [...node.pods.values(), ...nominated]);
    const refused = refusalOf(crowded, checks);
    if (refused !== undefined) return refused;
  }
  return refusalOf(node, checks);
}

function best(
  pod: PodFacts,
  feasible: readonly NodeFacts[],
  { cluster, ground }: { readonly cluster: Cluster; readonly ground: PlanGround },
): string {
  if (feasible.length === 1) return feasible[0]!.name;
  const { weights } = ground.profile;
  const totals = totalScores(pod, feasible, { cluster, weights });
  const most = Math.max(...totals);
  const equals = feasible.filter((_, index) => totals[index] === most);
  return equals[Math.floor(ground.chance() * equals.length)]!.name;
}
