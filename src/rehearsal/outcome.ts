// What a rehearsal found: the record behind the terminal summary, the report and `-o json`. Plain data, every number of it
// computed in the run; two runs with one seed give equal records.

export interface RehearsalOutcome {
  readonly scenario: { readonly name: string; readonly title: string; readonly summary: string };
  readonly seed: number;
  /** Kubernetes minor or `wavetank`, and the coefficients' name. */
  readonly profile: string;
  /** One a guard setting, in the order they ran. */
  readonly runs: readonly RunOutcome[];
  readonly verdict: Verdict;
  /** Repeats exactly this. */
  readonly command: string;
  /** YAML of the guard; undefined when the scenario has none. */
  readonly guard?: string;
  readonly coefficients: readonly UsedCoefficient[];
}

export interface Verdict {
  readonly asExpected: boolean;
  /** One sentence: what happened, by whom, and whether the guard held. */
  readonly sentence: string;
}

export interface RunOutcome {
  readonly guard: "off" | "on";
  readonly traceHash: string;
  readonly simulatedMs: number;
  readonly timeline: readonly Happening[];
  readonly culprits: readonly Culprit[];
  readonly checks: readonly CheckOutcome[];
  /** What makes one doubt that clients did what the scenario means. */
  readonly warnings: readonly string[];
  readonly series: readonly Series[];
  /** Numbers that checks speak of, by name. */
  readonly figures: Readonly<Record<string, number>>;
}

/** `atMs` from the start of the run. */
export interface Happening {
  readonly atMs: number;
  readonly what: string;
  /** A part of the script, or something that came of it. */
  readonly kind: "scripted" | "followed";
}

export interface Culprit {
  readonly client: string;
  /** e.g. `LIST pods by spec.nodeName, newest state`. */
  readonly does: string;
  readonly requests: number;
  /** Of all that the servers worked, 0 to 1. */
  readonly share: number;
  readonly objectsScanned: number;
  readonly objectsReturned: number;
  readonly bytes: number;
  readonly findings: readonly string[];
}

export interface CheckOutcome {
  readonly name: string;
  readonly expected: string;
  readonly seen: string;
  readonly passed: boolean;
  /** What the number is held against: a seed's figure, a calculation. */
  readonly source?: string;
}

export interface Series {
  /** Charts show series of one group together: `Memory of etcd`. */
  readonly chart: string;
  readonly name: string;
  readonly unit: Unit;
  /** One value for each `stepMs`, the first at 0. */
  readonly stepMs: number;
  readonly values: readonly number[];
}

export type Unit = "bytes" | "share" | "count" | "perSecond" | "ms";

export interface UsedCoefficient {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly source: string;
}
