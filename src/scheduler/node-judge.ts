// What the rules about a node alone say of it, for each kind of pod. Facts of a node are replaced when anything about it
// changes, so a judgement holds as long as the facts are the same object; of thousands of nodes few change between two
// pods (the idea: KEP-5598, pods with the same needs share what was worked out for the first).
import { type Refused, checksOf, refusalOf } from "./checks.ts";
import type { NodeFacts } from "./cluster-state.ts";
import { BoundedMap } from "../std/bounded-map.ts";
import { nodeFilters } from "./filter/filters.ts";
import type { PodFacts, PodNeeds } from "./pod-facts.ts";
import type { SchedulerProfile } from "./profile.ts";
import {
  balancedScore,
  leastAllocatedScore,
  metPreferences,
  untoleratedTaints,
} from "./score/node-scores.ts";

export interface NodeJudgement {
  readonly node: NodeFacts;
  /** Undefined: the pod may be there, as far as the node is concerned. */
  readonly refused: Refused | undefined;
  /** Weighted points that do not depend on other nodes. */
  readonly points: number;
  readonly untolerated: number;
  readonly preferred: number;
}

/** `place`: of the node in the list of all. */
export type Judge = (node: NodeFacts, place: number) => NodeJudgement;

/** Kinds of pods that are remembered: those of the workloads that start at the same time. */
const kindsMax = 16;

export class NodeJudge {
  readonly #weights: SchedulerProfile["weights"];
  /** By kind of pod; each by the node's place in the list. */
  readonly #kinds = new BoundedMap<(NodeJudgement | undefined)[]>(kindsMax);

  constructor({ weights }: SchedulerProfile) {
    this.#weights = weights;
  }

  for(pod: PodFacts): Judge {
    const known = this.#recall(pod.kind);
    const judge = judgeOf(pod, this.#weights);
    return (node, place) => {
      const before = known[place];
      if (before?.node === node) return before;
      return (known[place] = judge(node, place));
    };
  }

  #recall(kind: string): (NodeJudgement | undefined)[] {
    const known = this.#kinds.get(kind) ?? [];
    this.#kinds.set(kind, known);
    return known;
  }
}

/** Remembers nothing. */
export function judgeOf(needs: PodNeeds, weights: SchedulerProfile["weights"]): Judge {
  const checks = checksOf(nodeFilters, ({ prepare }) => prepare(needs));
  const [leastAllocated, balanced] = [leastAllocatedScore(needs), balancedScore(needs)];
  const [untolerated, preferred] = [untoleratedTaints(needs), metPreferences(needs)];
  return (node) => {
    const refused = refusalOf(node, checks);
    if (refused !== undefined) return { node, refused, points: 0, untolerated: 0, preferred: 0 };
    const points =
      weights.leastAllocated * leastAllocated(node) + weights.balancedAllocation * balanced(node);
    return {
      node,
      refused: undefined,
      points,
      untolerated: untolerated(node),
      preferred: preferred(node),
    };
  };
}
