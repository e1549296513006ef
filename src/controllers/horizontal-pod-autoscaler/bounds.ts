// How far and how fast the number of replicas may change: stabilisation windows, rates, minimum and maximum (upstream:
// podautoscaler/horizontal.go, normalizeDesiredReplicas and its version with behaviours). Pure.
import type {
  HPAScalingRules,
  HorizontalPodAutoscalerSpec,
} from "../../api/types/autoscaling-v2.ts";
import type { AutoscalerLaw } from "./law.ts";

/** What was wanted, and done, until now; both bounded by the longest window. */
export interface Memory {
  readonly recommendations: readonly { readonly at: number; readonly replicas: number }[];
  /** Changes of size: positive up, negative down. */
  readonly changes: readonly { readonly at: number; readonly by: number }[];
}

export const noMemory: Memory = { recommendations: [], changes: [] };

export interface Verdict {
  readonly reason: string;
  readonly message: string;
}

export interface Bounded {
  readonly replicas: number;
  /** For AbleToScale. */
  readonly stabilized: Verdict;
  /** For ScalingLimited; undefined: it is not. */
  readonly limited: Verdict | undefined;
}

export interface Wish {
  readonly spec: HorizontalPodAutoscalerSpec;
  readonly current: number;
  readonly wanted: number;
  /** With this recommendation already among them. */
  readonly memory: Memory;
  readonly now: number;
  readonly law: AutoscalerLaw;
}

const ready: Verdict = {
  reason: "ReadyForNewScale",
  message: "recommended size matches current size",
};
const tooMany: Verdict = {
  reason: "TooManyReplicas",
  message: "the desired replica count is more than the maximum replica count",
};
const tooFew: Verdict = {
  reason: "TooFewReplicas",
  message: "the desired replica count is less than the minimum replica count",
};
const upLimit: Verdict = {
  reason: "ScaleUpLimit",
  message: "the desired replica count is increasing faster than the maximum scale rate",
};
const downLimit: Verdict = {
  reason: "ScaleDownLimit",
  message: "the desired replica count is decreasing faster than the maximum scale rate",
};

export function bound(wish: Wish): Bounded {
  const { spec, current } = wish;
  const { replicas: steady, verdict } = stabilize(wish);
  const min = spec.minReplicas ?? 1;
  const max = spec.maxReplicas;
  if (steady > current) {
    const limit = upTo(wish);
    const most = Math.min(max, limit);
    if (steady > most)
      return { replicas: most, stabilized: verdict, limited: limit < max ? upLimit : tooMany };
  }
  if (steady < current && spec.behavior !== undefined) {
    const limit = downTo(wish);
    const least = Math.max(min, limit);
    if (steady < least)
      return { replicas: least, stabilized: verdict, limited: limit > min ? downLimit : tooFew };
  }
  if (steady < min) return { replicas: min, stabilized: verdict, limited: tooFew };
  if (steady > max) return { replicas: max, stabilized: verdict, limited: tooMany };
  return { replicas: steady, stabilized: verdict, limited: undefined };
}

/** Forgets what no window reaches any more. */
export function remembered(memory: Memory, now: number): Memory {
  const longestMs = 3_600_000;
  const recent = <T extends { readonly at: number }>(all: readonly T[]): readonly T[] =>
    all.filter(({ at }) => at > now - longestMs);
  return { recommendations: recent(memory.recommendations), changes: recent(memory.changes) };
}

function stabilize({ spec, current, wanted, memory, now, law }: Wish): {
  readonly replicas: number;
  readonly verdict: Verdict;
} {
  const { scaleUp, scaleDown } = spec.behavior ?? {};
  const upMs = (scaleUp?.stabilizationWindowSeconds ?? 0) * 1_000;
  const downSeconds = scaleDown?.stabilizationWindowSeconds;
  const downMs = downSeconds === undefined ? law.downscaleWindowMs : downSeconds * 1_000;
  const within = (ms: number): number[] =>
    memory.recommendations.filter(({ at }) => at > now - ms).map(({ replicas }) => replicas);
  const lowest = Math.min(wanted, ...within(upMs));
  const highest = Math.max(wanted, ...within(downMs));
  let replicas = current;
  if (replicas < lowest) replicas = lowest;
  if (replicas > highest) replicas = highest;
  if (replicas === wanted) return { replicas, verdict: ready };
  const verdict: Verdict =
    wanted > current
      ? {
          reason: "ScaleUpStabilized",
          message:
            "recent recommendations were lower than current one, applying the lowest recent recommendation",
        }
      : {
          reason: "ScaleDownStabilized",
          message:
            "recent recommendations were higher than current one, applying the highest recent recommendation",
        };
  return { replicas, verdict };
}

function upTo(wish: Wish): number {
  const { spec, current } = wish;
  const rules = spec.behavior?.scaleUp;
  if (spec.behavior === undefined || rules === undefined) return Math.max(2 * current, 4);
  return limitOf(
    rules,
    current,
    (policy, periodMs) => {
      const start = startOf(wish, periodMs);
      return policy.type === "Pods"
        ? start + policy.value
        : Math.ceil(start * (1 + policy.value / 100));
    },
    { most: Math.max, least: Math.min },
  );
}

function downTo(wish: Wish): number {
  const { spec, current } = wish;
  const rules = spec.behavior?.scaleDown;
  if (rules === undefined) return spec.minReplicas ?? 1;
  return limitOf(
    rules,
    current,
    (policy, periodMs) => {
      const start = startOf(wish, periodMs);
      return policy.type === "Pods"
        ? start - policy.value
        : Math.floor(start * (1 - policy.value / 100));
    },
    { most: Math.min, least: Math.max },
  );
}

type Choose = (...limits: number[]) => number;

/** `most` and `least` change, as the direction has it. */
function limitOf(
  { selectPolicy, policies = [] }: HPAScalingRules,
  current: number,
  propose: (policy: NonNullable<HPAScalingRules["policies"]>[number], periodMs: number) => number,
  { most, least }: { readonly most: Choose; readonly least: Choose },
): number {
  if (selectPolicy === "Disabled" || policies.length === 0) return current;
  const limits = policies.map((policy) => propose(policy, policy.periodSeconds * 1_000));
  return selectPolicy === "Min" ? least(...limits) : most(...limits);
}

/** The size before the changes of that period. */
function startOf({ current, memory, now }: Wish, periodMs: number): number {
  const changed = memory.changes
    .filter(({ at }) => at > now - periodMs)
    .reduce((sum, { by }) => sum + by, 0);
  return current - changed;
}
