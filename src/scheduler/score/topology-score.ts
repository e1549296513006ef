// Prefers domains where fewer pods of the kind are: constraints that only wish, and, for pods that state none, the
// siblings of the same controller over zones and hosts (upstream: plugins/podtopologyspread/scoring.go; its default
// constraints ask Services, too, which is not followed here).
import type { NodeFacts, WholeCluster } from "../cluster-state.ts";
import { constraintsOf, counts, countPods } from "../filter/topology-spread.ts";
import { type Score, scoreMax } from "../plugin.ts";
import type { PodFacts } from "../pod-facts.ts";

const hostname = "kubernetes.io/hostname";
const zone = "topology.kubernetes.io/zone";
const usualConstraints = [
  { topologyKey: hostname, maxSkew: 3 },
  { topologyKey: zone, maxSkew: 5 },
];

interface Wish {
  readonly topologyKey: string;
  readonly maxSkew: number;
  readonly countOn: (node: NodeFacts) => number;
  /** Nodes that may count more than nothing. */
  readonly counted: readonly NodeFacts[];
}

export const topologyScore: Score = (pod, nodes, cluster) => {
  const wishes = wishesOf(pod, nodes, cluster);
  if (wishes.length === 0) return undefined;
  const sums = nodes.map(() => 0);
  for (const wish of wishes) addWish(sums, wish, nodes);
  return stretched(sums);
};

function wishesOf(
  pod: PodFacts,
  nodes: readonly NodeFacts[],
  cluster: WholeCluster,
): readonly Wish[] {
  const stated = constraintsOf(pod, "ScheduleAnyway");
  if (stated.length > 0)
    return stated.map(({ constraint, selector }) => ({
      topologyKey: constraint.topologyKey,
      maxSkew: constraint.maxSkew,
      countOn: (node) =>
        counts(pod, node, constraint) ? countPods(node, pod.namespace, selector) : 0,
      counted: cluster.nodes,
    }));
  const isSpread = (pod.pod.spec?.topologySpreadConstraints ?? []).length > 0;
  if (pod.controller === "" || isSpread) return [];
  const siblings = cluster.siblingsOf(pod);
  // The first of its kind is welcome everywhere alike.
  if (siblings.size === 0 && allOrNone(nodes, ({ labels }) => labels[zone] !== undefined))
    return [];
  const counted = [...siblings.keys()].flatMap((name) => cluster.find(name) ?? []);
  const countOn = ({ name }: NodeFacts): number => siblings.get(name) ?? 0;
  return usualConstraints.map(({ topologyKey, maxSkew }) => ({
    topologyKey,
    maxSkew,
    countOn,
    counted,
  }));
}

function allOrNone<T>(items: readonly T[], holds: (item: T) => boolean): boolean {
  const first = items[0];
  if (first === undefined) return true;
  const wanted = holds(first);
  return items.every((item) => holds(item) === wanted);
}

function addWish(
  sums: number[],
  { topologyKey, maxSkew, countOn, counted }: Wish,
  nodes: readonly NodeFacts[],
): void {
  if (topologyKey === hostname) {
    const weight = Math.log(nodes.length + 2);
    for (const [index, node] of nodes.entries())
      sums[index]! += countOn(node) * weight + (maxSkew - 1);
    return;
  }
  const values = new Set(nodes.map(({ labels }) => labels[topologyKey]));
  values.delete(undefined);
  if (values.size === 0) return;
  const perDomain = new Map<string, number>();
  for (const node of counted) {
    const value = node.labels[topologyKey];
    if (value !== undefined) perDomain.set(value, (perDomain.get(value) ?? 0) + countOn(node));
  }
  const weight = Math.log(values.size + 2);
  for (const [index, { labels }] of nodes.entries()) {
    const value = labels[topologyKey];
    if (value !== undefined) sums[index]! += (perDomain.get(value) ?? 0) * weight + (maxSkew - 1);
  }
}

/** The fewest are worth 100. */
function stretched(sums: readonly number[]): number[] {
  const least = Math.min(...sums);
  const most = Math.max(...sums);
  if (most === 0) return sums.map(() => scoreMax);
  return sums.map((sum) => Math.floor((scoreMax * (most + least - sum)) / most));
}
