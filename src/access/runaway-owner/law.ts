// How many replacements of pods that never ran one owner may make, and how long it waits beyond that. Pure numbers; who
// counts and who refuses is elsewhere. Kubernetes has no such limit (k/k #76370, #72593): a controller whose pods are
// taken away before they start makes new ones as fast as its client may write.

export interface RunawayLaw {
  /** Replacements in one window that any owner may make, however few pods it has. */
  readonly limit: number;
  /** And so many more for each of its pods that waited to run at one time. */
  readonly perWaitingPod: number;
  /** What is older counts no more; an owner that did nothing for so long starts anew. */
  readonly windowMs: number;
  /** Beyond the budget one replacement is let through now and then, to see whether it runs: first after this, */
  readonly probeMsMin: number;
  /** then after twice as long each time, up to this. */
  readonly probeMsMax: number;
  /**
   * Bound of Retry-After. It is short of `probeMsMax`, since clients sleep in their call for it, ten times over
   * (client-go), and a controller's few workers would all sleep for runaway owners while the others wait.
   */
  readonly retryAfterSecondsMax: number;
  /** Owners with an account; the one that was quiet longest makes room. */
  readonly ownersMax: number;
}

/**
 * Stock evictions leave a pod on a dead node after 300 s (DefaultTolerationSeconds), twelve times an hour: with twenty
 * for each waiting pod no owner is refused for these, nor for being scaled down and up again on a full cluster.
 */
export const runawayLawDefaults: RunawayLaw = {
  limit: 200,
  perWaitingPod: 20,
  windowMs: 3_600_000,
  probeMsMin: 1_000,
  probeMsMax: 300_000,
  retryAfterSecondsMax: 10,
  ownersMax: 10_000,
};

/** `waitingMost`: pods of the owner that waited at one time, at most, within the window. */
export function budgetOf(law: RunawayLaw, waitingMost: number): number {
  return law.limit + law.perWaitingPod * Math.max(1, waitingMost);
}

/** How long after its `probes`-th probe (0: after the budget was spent) an owner waits for the next. */
export function probeWaitMs(law: RunawayLaw, probes: number): number {
  return Math.min(law.probeMsMin * 2 ** probes, law.probeMsMax);
}

/** Whole seconds, at least one. */
export function retryAfterSeconds(law: RunawayLaw, waitMs: number): number {
  return Math.min(Math.max(1, Math.ceil(waitMs / 1_000)), law.retryAfterSecondsMax);
}
