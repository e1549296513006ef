// Prefers nodes whose neighbourhood the pod likes, and where the pods that are there like it (upstream:
// plugins/interpodaffinity/scoring.go).
import type { Cluster, NodeFacts } from "../cluster-state.ts";
import { type Score, scoreMax } from "../plugin.ts";
import { type PodFacts, type PodTerm, meansPod } from "../pod-facts.ts";

/** What the required affinity of a pod that is there counts. */
const hardAffinityWeight = 1;

/** `key=value` of a domain -> points. */
type Points = Map<string, number>;

export const interPodScore: Score = (pod, nodes, cluster) => {
  const points: Points = new Map();
  if (pod.preferred.length > 0)
    for (const node of cluster.nodes) addLikings(points, pod, { node, cluster });
  for (const { facts, node } of cluster.pickyPods.values()) {
    const found = cluster.find(node);
    if (found !== undefined) addLikingsOf(points, { facts, node: found }, { pod, cluster });
  }
  if (points.size === 0) return undefined;
  return stretched(nodes.map(({ labels }) => sumFor(points, labels)));
};

function addLikings(
  points: Points,
  pod: PodFacts,
  { node, cluster }: { readonly node: NodeFacts; readonly cluster: Cluster },
): void {
  for (const there of node.pods.values())
    for (const term of pod.preferred)
      if (means(term, there, cluster)) add(points, term, { node, weight: term.weight });
}

function addLikingsOf(
  points: Points,
  { facts, node }: { readonly facts: PodFacts; readonly node: NodeFacts },
  { pod, cluster }: { readonly pod: PodFacts; readonly cluster: Cluster },
): void {
  for (const term of facts.affinity)
    if (means(term, pod, cluster)) add(points, term, { node, weight: hardAffinityWeight });
  for (const term of facts.preferred)
    if (means(term, pod, cluster)) add(points, term, { node, weight: term.weight });
}

function add(
  points: Points,
  { topologyKey }: PodTerm,
  { node, weight }: { readonly node: NodeFacts; readonly weight: number },
): void {
  const value = node.labels[topologyKey];
  if (value === undefined) return;
  const domain = `${topologyKey}=${value}`;
  points.set(domain, (points.get(domain) ?? 0) + weight);
}

function means(term: PodTerm, pod: PodFacts, cluster: Cluster): boolean {
  return meansPod(term, pod, (namespace) => cluster.namespaceLabels(namespace));
}

function sumFor(points: Points, labels: Readonly<Record<string, string>>): number {
  let sum = 0;
  for (const [domain, weight] of points) {
    const at = domain.indexOf("=");
    if (labels[domain.slice(0, at)] === domain.slice(at + 1)) sum += weight;
  }
  return sum;
}

function stretched(sums: readonly number[]): number[] {
  const least = Math.min(...sums);
  const span = Math.max(...sums) - least;
  return sums.map((sum) => (span === 0 ? 0 : Math.floor((scoreMax * (sum - least)) / span)));
}
