// Required affinity and anti-affinity between pods, in both directions (upstream: plugins/interpodaffinity/filtering.go).
import type { Cluster, NodeFacts } from "../cluster-state.ts";
import type { Check, Filter, Refusal } from "../plugin.ts";
import { type PodFacts, type PodTerm, meansPod } from "../pod-facts.ts";

const unlikeAffinity: Refusal = {
  reasons: ["node(s) didn't match pod affinity rules"],
  resolvable: false,
};
const unlikeAnti: Refusal = {
  reasons: ["node(s) didn't match pod anti-affinity rules"],
  resolvable: true,
};
const unlikeExisting: Refusal = {
  reasons: ["node(s) didn't satisfy existing pods anti-affinity rules"],
  resolvable: true,
};

export const interPodAffinity: Filter = {
  name: "InterPodAffinity",
  wakers: ["node added", "node labels", "pod assigned", "pod gone", "namespace changed"],
  prepare(pod, cluster) {
    const existing = domainsOfExisting(pod, cluster);
    const anti = pod.antiAffinity.map((term) => domainsOf(term, cluster));
    const affinity = pod.affinity.map((term) => domainsOf(term, cluster));
    if (existing.size === 0 && anti.length === 0 && affinity.length === 0) return undefined;
    const meansItself = pod.affinity.every((term) => means(term, pod, cluster));
    return checkOf(pod, { existing, anti, affinity, meansItself });
  },
};

interface Domains {
  /** `key=value` of domains that pods keep free of this one. */
  readonly existing: ReadonlySet<string>;
  /** For each term the values of its topology key where pods are that it means. */
  readonly anti: readonly ReadonlySet<string>[];
  readonly affinity: readonly ReadonlySet<string>[];
  readonly meansItself: boolean;
}

function checkOf(pod: PodFacts, { existing, anti, affinity, meansItself }: Domains): Check {
  // The first pod of a group that wants to be together may start anywhere.
  const isFirst = meansItself && affinity.every((domains) => domains.size === 0);
  return ({ labels }) => {
    for (const [index, { topologyKey }] of pod.affinity.entries()) {
      const value = labels[topologyKey];
      if (value === undefined) return unlikeAffinity;
      if (!isFirst && !affinity[index]!.has(value)) return unlikeAffinity;
    }
    for (const [index, { topologyKey }] of pod.antiAffinity.entries()) {
      const value = labels[topologyKey];
      if (value !== undefined && anti[index]!.has(value)) return unlikeAnti;
    }
    for (const domain of existing) {
      const at = domain.indexOf("=");
      if (labels[domain.slice(0, at)] === domain.slice(at + 1)) return unlikeExisting;
    }
    return undefined;
  };
}

function domainsOfExisting(pod: PodFacts, cluster: Cluster): Set<string> {
  const domains = new Set<string>();
  for (const { facts, node } of cluster.pickyPods.values())
    for (const term of facts.antiAffinity) {
      const value = cluster.find(node)?.labels[term.topologyKey];
      if (value === undefined || !means(term, pod, cluster)) continue;
      domains.add(`${term.topologyKey}=${value}`);
    }
  return domains;
}

function domainsOf(term: PodTerm, cluster: Cluster): Set<string> {
  const domains = new Set<string>();
  for (const node of cluster.nodes) {
    const value = node.labels[term.topologyKey];
    if (value === undefined || domains.has(value)) continue;
    if (holds(node, term, cluster)) domains.add(value);
  }
  return domains;
}

function holds({ pods }: NodeFacts, term: PodTerm, cluster: Cluster): boolean {
  for (const pod of pods.values()) if (means(term, pod, cluster)) return true;
  return false;
}

function means(term: PodTerm, pod: PodFacts, cluster: Cluster): boolean {
  return meansPod(term, pod, (namespace) => cluster.namespaceLabels(namespace));
}
