// Where a pod goes: the decision as a pure function of the pod and the cluster. Tables in plan.test.ts (upstream:
// schedule_one.go schedulePod, findNodesThatFitPod, numFeasibleNodesToFind).
import { type Refused, checksOf, refusalOf } from "./checks.ts";
import { type Cluster, type NodeFacts, type WholeCluster, withPods } from "./cluster-state.ts";
import { clusterFilters, filters } from "./filter/filters.ts";
import { namedNodesOf, nodeAffinity } from "./filter/node-rules.ts";
import { hopelessVolumes, volumeBinding } from "./filter/volume-rules.ts";
import { type Judge, type NodeJudge, type NodeJudgement, judgeOf } from "./node-judge.ts";
import type { PodFacts } from "./pod-facts.ts";
import type { SchedulerProfile } from "./profile.ts";
import { totalScores } from "./score/scores.ts";

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
  /** Remembers what is worth it; what it says depends on nothing but the pod and the node. */
  readonly judge: NodeJudge;
  /** Pods that preempted others on a node and wait until there is room; never the pod itself. */
  readonly nominated: (node: string) => readonly PodFacts[];
  /** Where in the list of nodes to begin looking, so that all get their turn. */
  readonly startAt: number;
  /** Uniform in [0, 1): decides between equals. */
  readonly chance: () => number;
}

export function planPod(pod: PodFacts, cluster: WholeCluster, ground: PlanGround): Verdict {
  const hopeless = hopelessVolumes(pod, cluster);
  if (hopeless !== undefined) return waitFor(hopeless, cluster);
  const named = namedNodesOf(pod);
  return named === undefined
    ? planAnywhere(pod, cluster, ground)
    : planOnNamed(pod, named, { cluster, ground });
}

/** Volumes bound nowhere yet, and the like: no node would do. */
function waitFor(hopeless: string, { nodes }: Cluster): Verdict {
  const refused: Refused = { reasons: [hopeless], resolvable: false, filter: volumeBinding.name };
  const refusals = new Map(nodes.map(({ name }) => [name, refused]));
  return { do: "wait", refusals, lookedAt: 0, hopeless };
}

function planAnywhere(pod: PodFacts, cluster: WholeCluster, ground: PlanGround): Verdict {
  const { nodes } = cluster;
  const ask = questionOf(pod, ground.judge.for(pod), { cluster, ground });
  const enough = enoughNodes(nodes.length, ground.profile);
  const refusals = new Map<string, Refused>();
  const feasible: NodeJudgement[] = [];
  let lookedAt = 0;
  for (; lookedAt < nodes.length && feasible.length < enough; lookedAt++) {
    const place = (ground.startAt + lookedAt) % nodes.length;
    const judged = ask(nodes[place]!, place);
    if (judged.refused === undefined) feasible.push(judged);
    else refusals.set(judged.node.name, judged.refused);
  }
  if (feasible.length === 0) return { do: "wait", refusals, lookedAt, hopeless: "" };
  return { do: "bind", node: best(pod, feasible, { cluster, ground }), lookedAt };
}

const notNamed: Refused = {
  reasons: [`node(s) didn't satisfy plugin(s) [${nodeAffinity.name}]`],
  resolvable: false,
  filter: nodeAffinity.name,
};

/** A daemon's pod names its node: nothing is asked of the thousands of others (upstream: PreFilterResult). */
function planOnNamed(pod: PodFacts, named: ReadonlySet<string>, situation: Situation): Verdict {
  const { cluster, ground } = situation;
  const ask = questionOf(pod, judgeOf(pod, ground.profile.weights), situation);
  const nodes = [...named].flatMap((name) => cluster.find(name) ?? []);
  const judged = nodes.map((node) => ask(node, 0));
  const feasible = judged.filter(({ refused }) => refused === undefined);
  if (feasible.length > 0) return { do: "bind", node: best(pod, feasible, situation), lookedAt: 0 };
  const refusals = new Map(cluster.nodes.map(({ name }) => [name, notNamed]));
  for (const { node, refused = notNamed } of judged) refusals.set(node.name, refused);
  return { do: "wait", refusals, lookedAt: 0, hopeless: "" };
}

interface Situation {
  readonly cluster: WholeCluster;
  readonly ground: PlanGround;
}

/** What the pod asks each node: first what concerns the node alone, then what the others have to do with it. */
function questionOf(pod: PodFacts, judge: Judge, { cluster, ground }: Situation): Judge {
  const checks = checksOf(clusterFilters, ({ prepare }) => prepare(pod, cluster));
  return (node, place) => {
    const judged = judge(node, place);
    if (judged.refused !== undefined) return judged;
    const nominated = ground.nominated(node.name);
    const refused =
      refusalOf(node, checks) ??
      (nominated.length === 0 ? undefined : refusalBeside(nominated, { pod, node, cluster }));
    return refused === undefined ? judged : { ...judged, refused };
  };
}

/** Room that was made for others of the same or higher priority is theirs: the pod must fit also beside them. */
function refusalBeside(
  nominated: readonly PodFacts[],
  {
    pod,
    node,
    cluster,
  }: { readonly pod: PodFacts; readonly node: NodeFacts; readonly cluster: Cluster },
): Refused | undefined {
  const heeded = nominated.filter(({ priority }) => priority >= pod.priority);
  if (heeded.length === 0) return undefined;
  const checks = checksOf(filters, ({ prepare }) => prepare(pod, cluster));
  return refusalOf(withPods(node, [...node.pods.values(), ...heeded]), checks);
}

function best(
  pod: PodFacts,
  feasible: readonly NodeJudgement[],
  { cluster, ground }: Situation,
): string {
  if (feasible.length === 1) return feasible[0]!.node.name;
  const { weights } = ground.profile;
  const totals = totalScores(pod, feasible, { cluster, weights });
  const most = Math.max(...totals);
  const equals = feasible.filter((_, index) => totals[index] === most);
  return equals[Math.floor(ground.chance() * equals.length)]!.node.name;
}

/** The smaller the share, the larger the cluster (upstream's adaptive percentageOfNodesToScore). */
export function enoughNodes(count: number, profile: SchedulerProfile): number {
  const { nodesLookedAtMin, percentMin } = profile;
  if (count < nodesLookedAtMin) return count;
  const percent = Math.max(percentMin, 50 - Math.floor(count / 125));
  return Math.max(nodesLookedAtMin, Math.floor((count * percent) / 100));
}
