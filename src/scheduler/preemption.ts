// Which pods must go so that a more important one fits, and where; pure. Words and order of preference are upstream's
// (framework/preemption/preemption.go, plugins/defaultpreemption).
import { type LabelSelector, matchesLabels } from "../api/meta/label-selector.ts";
import { type Cluster, type NodeFacts, withNode, withPods } from "./cluster-state.ts";
import { tally } from "./fit-message.ts";
import { type Refused, checksOf, refusalOf } from "./checks.ts";
import { filters } from "./filter/filters.ts";
import type { PodFacts } from "./pod-facts.ts";
import type { SchedulerProfile } from "./profile.ts";

/** A PodDisruptionBudget, as far as it matters here. */
export interface Budget {
  readonly namespace: string;
  readonly selector: LabelSelector;
  readonly disruptionsAllowed: number;
}

export type Preemption =
  | { readonly do: "preempt"; readonly node: string; readonly victims: readonly PodFacts[] }
  | { readonly do: "nothing"; readonly message: string };

export interface PreemptionGround {
  readonly profile: SchedulerProfile;
  readonly refusals: ReadonlyMap<string, Refused>;
  readonly budgets: readonly Budget[];
  readonly nominated: (node: string) => readonly PodFacts[];
  readonly chance: () => number;
}

const notHelpful = "Preemption is not helpful for scheduling";
const noVictims = "No preemption victims found for incoming pod";

export function planPreemption(
  pod: PodFacts,
  cluster: Cluster,
  ground: PreemptionGround,
): Preemption {
  const why = whyNotEligible(pod, cluster);
  if (why !== undefined) return { do: "nothing", message: `preemption: ${why}` };
  const hopeful = cluster.nodes.filter(
    ({ name }) => ground.refusals.get(name)?.resolvable === true,
  );
  const reasons = Array.from({ length: cluster.nodes.length - hopeful.length }, () => notHelpful);
  const candidates: Candidate[] = [];
  const startAt = Math.floor(ground.chance() * hopeful.length);
  const enough = candidatesEnough(hopeful.length, ground.profile);
  for (let looked = 0; looked < hopeful.length && candidates.length < enough; looked++) {
    const node = hopeful[(startAt + looked) % hopeful.length]!;
    const tried = tryNode(pod, node, { cluster, ground });
    if ("reasons" in tried) reasons.push(...tried.reasons);
    else candidates.push(tried);
  }
  const best = candidates.toSorted(byPreference)[0];
  if (best !== undefined) return { do: "preempt", node: best.node, victims: best.victims };
  const words = `0/${cluster.nodes.length} nodes are available: ${tally(reasons)}.`;
  return { do: "nothing", message: `preemption: ${words}` };
}

function whyNotEligible({ pod, priority }: PodFacts, cluster: Cluster): string | undefined {
  if (pod.spec?.preemptionPolicy === "Never") return "not eligible due to preemptionPolicy=Never.";
  const nominated = cluster.find(pod.status?.nominatedNodeName ?? "");
  for (const there of nominated?.pods.values() ?? [])
    if (there.priority < priority && typeof there.pod.metadata.deletionTimestamp === "string")
      return "not eligible due to a terminating pod on the nominated node.";
  return undefined;
}

function candidatesEnough(nodes: number, { candidates }: SchedulerProfile): number {
  return Math.min(nodes, Math.max(candidates.min, Math.floor((nodes * candidates.percent) / 100)));
}

interface Candidate {
  readonly node: string;
  /** The most important first. */
  readonly victims: readonly PodFacts[];
  readonly budgetViolations: number;
}

function tryNode(
  pod: PodFacts,
  node: NodeFacts,
  { cluster, ground }: { readonly cluster: Cluster; readonly ground: PreemptionGround },
): Candidate | { readonly reasons: readonly string[] } {
  const lower = [...node.pods.values()].filter(({ priority }) => priority < pod.priority);
  if (lower.length === 0) return { reasons: [noVictims] };
  const others = ground.nominated(node.name).filter(({ priority }) => priority >= pod.priority);
  const kept = [...node.pods.values()].filter(({ priority }) => priority >= pod.priority);
  const refusalWith = (pods: readonly PodFacts[]): Refused | undefined => {
    const changed = withPods(node, [...pods, ...others]);
    const there = withNode(cluster, changed);
    return refusalOf(
      changed,
      checksOf(filters, ({ prepare }) => prepare(pod, there)),
    );
  };
  const refused = refusalWith(kept);
  if (refused !== undefined) return { reasons: refused.reasons };
  // Whoever can stay stays, first those whose budget would be broken, then the more important ones.
  const { violating, harmless } = splitByBudget(lower.toSorted(byImportance), ground.budgets);
  const victims: PodFacts[] = [];
  let budgetViolations = 0;
  const reprieve = (one: PodFacts): boolean => {
    if (refusalWith([...kept, one]) === undefined) {
      kept.push(one);
      return true;
    }
    victims.push(one);
    return false;
  };
  for (const one of violating) if (!reprieve(one)) budgetViolations++;
  for (const one of harmless) reprieve(one);
  return { node: node.name, victims: victims.toSorted(byImportance), budgetViolations };
}

function splitByBudget(
  pods: readonly PodFacts[],
  budgets: readonly Budget[],
): { readonly violating: PodFacts[]; readonly harmless: PodFacts[] } {
  const left = budgets.map(({ disruptionsAllowed }) => disruptionsAllowed);
  const violating: PodFacts[] = [];
  const harmless: PodFacts[] = [];
  for (const pod of pods) {
    let breaks = false;
    for (const [index, { namespace, selector }] of budgets.entries()) {
      if (namespace !== pod.namespace || selector.length === 0) continue;
      if (!matchesLabels(selector, pod.labels)) continue;
      left[index]! -= 1;
      if (left[index]! < 0) breaks = true;
    }
    (breaks ? violating : harmless).push(pod);
  }
  return { violating, harmless };
}

/** The higher priority first, then the one that has run longer. */
function byImportance(a: PodFacts, b: PodFacts): number {
  if (a.priority !== b.priority) return b.priority - a.priority;
  return startOf(a) < startOf(b) ? -1 : startOf(a) > startOf(b) ? 1 : 0;
}

/** The same form everywhere, so that texts compare as times. */
function startOf({ pod }: PodFacts): string {
  return pod.status?.startTime ?? pod.metadata.creationTimestamp;
}

function byPreference(a: Candidate, b: Candidate): number {
  if (a.budgetViolations !== b.budgetViolations) return a.budgetViolations - b.budgetViolations;
  const highest = ({ victims }: Candidate): number => victims[0]?.priority ?? 0;
  if (highest(a) !== highest(b)) return highest(a) - highest(b);
  const sum = ({ victims }: Candidate): number =>
    victims.reduce((total, { priority }) => total + priority, 0);
  if (sum(a) !== sum(b)) return sum(a) - sum(b);
  if (a.victims.length !== b.victims.length) return a.victims.length - b.victims.length;
  // Where the most important victim started last, the least work is lost.
  const earliest = (one: Candidate): string => {
    const top = one.victims.filter(({ priority }) => priority === highest(one)).map(startOf);
    return top.toSorted()[0] ?? "";
  };
  return earliest(a) > earliest(b) ? -1 : earliest(a) < earliest(b) ? 1 : 0;
}
