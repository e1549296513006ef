// Nodes and the pods on them as the scheduler counts them: what the informers told, and what it has decided itself but
// not yet seen come true (assumed pods). Knows sums, no rules.
import { type Amounts, amountsOf } from "../api/pod/amounts.ts";
import type { Node, Taint } from "../api/types/core-v1.ts";
import type { Served } from "../client/served-object.ts";
import type { HostPort, PodFacts } from "./pod-facts.ts";
import type { VolumeView } from "./volumes/volume-view.ts";

export interface NodeFacts {
  readonly name: string;
  readonly node: Readonly<Served<Node>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  readonly unschedulable: boolean;
  readonly allocatable: Amounts;
  readonly pods: ReadonlyMap<string, PodFacts>;
  readonly requested: Amounts;
  readonly scored: { readonly cpu: number; readonly memory: number };
  readonly ports: readonly HostPort[];
}

/** What filters see, also of a cluster that is only thought of (`withNode`). */
export interface Cluster {
  readonly nodes: readonly NodeFacts[];
  /** Pods on nodes that have terms about other pods, with their node. */
  readonly pickyPods: ReadonlyMap<string, { readonly facts: PodFacts; readonly node: string }>;
  readonly volumes: VolumeView;
  namespaceLabels(namespace: string): Readonly<Record<string, string>>;
  find(name: string): NodeFacts | undefined;
  /** UIDs of the pods on nodes that use a claim. */
  usersOf(claim: string): ReadonlySet<string>;
}

/** What scores see besides. */
export interface WholeCluster extends Cluster {
  /** Node -> how many pods of the pod's controller it has; only nodes that have some. */
  siblingsOf(pod: PodFacts): ReadonlyMap<string, number>;
}

const nobody: ReadonlySet<string> = new Set();
const nowhere: ReadonlyMap<string, number> = new Map();

/** A node's place in the list of all. */
interface Place {
  at: number;
}

export class ClusterState implements WholeCluster {
  readonly #places = new Map<string, Place>();
  readonly #list: NodeFacts[] = [];
  /** Pods whose node is not known (any more). */
  readonly #stray = new Map<string, Map<string, PodFacts>>();
  readonly #nodeOf = new Map<string, string>();
  readonly #picky = new Map<string, { readonly facts: PodFacts; readonly node: string }>();
  readonly #usersOf = new Map<string, Set<string>>();
  /** The controller's UID -> node -> its pods there. */
  readonly #siblings = new Map<string, Map<string, number>>();
  readonly #namespaceLabels: (namespace: string) => Readonly<Record<string, string>>;
  readonly volumes: VolumeView;

  constructor(
    namespaceLabels: (namespace: string) => Readonly<Record<string, string>>,
    volumes: VolumeView,
  ) {
    this.#namespaceLabels = namespaceLabels;
    this.volumes = volumes;
  }

  usersOf(claim: string): ReadonlySet<string> {
    return this.#usersOf.get(claim) ?? nobody;
  }

  siblingsOf({ controller }: PodFacts): ReadonlyMap<string, number> {
    return this.#siblings.get(controller) ?? nowhere;
  }

  get nodes(): readonly NodeFacts[] {
    return this.#list;
  }

  get pickyPods(): ReadonlyMap<string, { readonly facts: PodFacts; readonly node: string }> {
    return this.#picky;
  }

  namespaceLabels(namespace: string): Readonly<Record<string, string>> {
    return this.#namespaceLabels(namespace);
  }

  find(name: string): NodeFacts | undefined {
    const place = this.#places.get(name);
    return place === undefined ? undefined : this.#list[place.at];
  }

  /** The node on which the pod is counted. */
  nodeOf(uid: string): string | undefined {
    return this.#nodeOf.get(uid);
  }

  putNode(node: Readonly<Served<Node>>): void {
    const { name } = node.metadata;
    const known = this.find(name);
    const pods = known?.pods ?? this.#stray.get(name) ?? new Map<string, PodFacts>();
    this.#stray.delete(name);
    const place = this.#places.get(name) ?? { at: this.#list.length };
    this.#places.set(name, place);
    this.#list[place.at] = nodeFactsOf(node, pods);
  }

  removeNode(name: string): void {
    const place = this.#places.get(name);
    const facts = this.find(name);
    if (place === undefined || facts === undefined) return;
    if (facts.pods.size > 0) this.#stray.set(name, new Map(facts.pods));
    this.#places.delete(name);
    // The last one takes its place.
    const last = this.#list.pop()!;
    if (last.name === name) return;
    this.#list[place.at] = last;
    this.#places.get(last.name)!.at = place.at;
  }

  putPod(facts: PodFacts, node: string): void {
    this.removePod(facts.uid);
    this.#nodeOf.set(facts.uid, node);
    if (isPicky(facts)) this.#picky.set(facts.uid, { facts, node });
    for (const claim of facts.claims) {
      const users = this.#usersOf.get(claim);
      if (users === undefined) this.#usersOf.set(claim, new Set([facts.uid]));
      else users.add(facts.uid);
    }
    this.#countSibling(facts, node, 1);
    this.#change(node, (pods) => pods.set(facts.uid, facts), { facts, sign: 1 });
  }

  /** The same pod on the same node as the server has it now, with nothing changed that is counted. */
  renewPod(facts: PodFacts): void {
    const node = this.#nodeOf.get(facts.uid);
    if (node === undefined) return;
    if (isPicky(facts)) this.#picky.set(facts.uid, { facts, node });
    const there = this.find(node)?.pods ?? this.#stray.get(node);
    (there as Map<string, PodFacts> | undefined)?.set(facts.uid, facts);
  }

  removePod(uid: string): void {
    const node = this.#nodeOf.get(uid);
    if (node === undefined) return;
    this.#nodeOf.delete(uid);
    this.#picky.delete(uid);
    const facts = (this.find(node)?.pods ?? this.#stray.get(node))?.get(uid);
    if (facts === undefined) return;
    for (const claim of facts.claims) {
      const users = this.#usersOf.get(claim);
      users?.delete(uid);
      if (users?.size === 0) this.#usersOf.delete(claim);
    }
    this.#countSibling(facts, node, -1);
    this.#change(node, (pods) => pods.delete(uid), { facts, sign: -1 });
  }

  #countSibling({ controller }: PodFacts, node: string, sign: 1 | -1): void {
    if (controller === "") return;
    const perNode = this.#siblings.get(controller) ?? new Map<string, number>();
    const count = (perNode.get(node) ?? 0) + sign;
    if (count > 0) perNode.set(node, count);
    else perNode.delete(node);
    if (perNode.size > 0) this.#siblings.set(controller, perNode);
    else this.#siblings.delete(controller);
  }

  #change(
    node: string,
    apply: (pods: Map<string, PodFacts>) => void,
    { facts, sign }: { readonly facts: PodFacts; readonly sign: 1 | -1 },
  ): void {
    const before = this.find(node);
    if (before === undefined) {
      const stray = this.#stray.get(node) ?? new Map<string, PodFacts>();
      apply(stray);
      this.#stray.set(node, stray);
      return;
    }
    // The map is ours alone; the sums are replaced, so that nobody who holds the old facts sees half a change.
    const pods = before.pods as Map<string, PodFacts>;
    apply(pods);
    const ports = facts.ports.length > 0 ? portsOf(pods.values()) : before.ports;
    this.#list[this.#places.get(node)!.at] = { ...before, ...sumsWith(before, facts, sign), ports };
  }
}

export function nodeFactsOf(
  node: Readonly<Served<Node>>,
  pods: ReadonlyMap<string, PodFacts>,
): NodeFacts {
  const requested: Record<string, number> = {};
  const scored = { cpu: 0, memory: 0 };
  for (const pod of pods.values()) {
    for (const [name, amount] of Object.entries(pod.requests))
      requested[name] = (requested[name] ?? 0) + amount;
    scored.cpu += pod.scored.cpu;
    scored.memory += pod.scored.memory;
  }
  return {
    name: node.metadata.name,
    node,
    labels: node.metadata.labels ?? {},
    taints: node.spec?.taints ?? [],
    unschedulable: node.spec?.unschedulable === true,
    allocatable: amountsOf(node.status?.allocatable),
    pods,
    requested,
    scored,
    ports: portsOf(pods.values()),
  };
}

/** The node as it would be with other pods on it. */
export function withPods(node: NodeFacts, pods: Iterable<PodFacts>): NodeFacts {
  return nodeFactsOf(node.node, new Map([...pods].map((pod) => [pod.uid, pod])));
}

/** The cluster as it would be with one node changed. */
export function withNode(cluster: Cluster, changed: NodeFacts): Cluster {
  const before = cluster.find(changed.name);
  const pickyPods = new Map(cluster.pickyPods);
  for (const uid of before?.pods.keys() ?? []) pickyPods.delete(uid);
  for (const facts of changed.pods.values())
    if (isPicky(facts)) pickyPods.set(facts.uid, { facts, node: changed.name });
  return {
    nodes: cluster.nodes.map((node) => (node.name === changed.name ? changed : node)),
    pickyPods,
    volumes: cluster.volumes,
    usersOf: (claim) =>
      new Set(
        [...cluster.usersOf(claim)].filter(
          (uid) => before?.pods.has(uid) !== true || changed.pods.has(uid),
        ),
      ),
    namespaceLabels: (namespace) => cluster.namespaceLabels(namespace),
    find: (name) => (name === changed.name ? changed : cluster.find(name)),
  };
}

function sumsWith(
  node: NodeFacts,
  pod: PodFacts,
  sign: 1 | -1,
): Pick<NodeFacts, "requested" | "scored"> {
  const requested: Record<string, number> = { ...node.requested };
  for (const [name, amount] of Object.entries(pod.requests))
    requested[name] = (requested[name] ?? 0) + sign * amount;
  const cpu = node.scored.cpu + sign * pod.scored.cpu;
  const memory = node.scored.memory + sign * pod.scored.memory;
  return { requested, scored: { cpu, memory } };
}

function portsOf(pods: Iterable<PodFacts>): HostPort[] {
  return [...pods].flatMap(({ ports }) => ports);
}

function isPicky({ affinity, antiAffinity, preferred }: PodFacts): boolean {
  return affinity.length + antiAffinity.length + preferred.length > 0;
}
