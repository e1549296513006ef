// What a finding says: who does what, how much of it, and what to change. Made by pure functions of patterns, one file a
// finding; words for people, facts for machines.
import { type Pattern, describeShape } from "./pattern.ts";
import { type GuardAdvice, adviseGuard } from "./guard.ts";

export type FindingId =
  | "unpaged-full-list"
  | "large-list"
  | "quorum-list"
  | "unindexed-selector"
  | "relist-loop"
  | "watch-churn"
  | "hot-writer"
  | "mass-delete"
  | "list-per-object"
  | "ignores-retry-after"
  | "identical-agents";

export interface Finding {
  readonly id: FindingId;
  /** `system:node:*`: of nodes together. */
  readonly user: string;
  readonly userAgent: string;
  /** Addresses it comes from. */
  readonly sources: number;
  /** Plural name; "" for requests about none. */
  readonly resource: string;
  /** The kind of request. */
  readonly what: string;
  readonly howMuch: string;
  /** In the program. */
  readonly change: string;
  /** Load of the window that it concerns, for ranking. */
  readonly load: number;
  /** What in the cluster would bound it meanwhile. */
  readonly guard: GuardAdvice;
}

/** Undefined: nothing to find in it. */
export type Finder = (pattern: Pattern, windowSeconds: number) => Verdict | undefined;

export interface Verdict {
  readonly id: FindingId;
  readonly howMuch: string;
  readonly change: string;
}

export function findingOf(pattern: Pattern, verdict: Verdict): Finding {
  const { client, shape, sources, load } = pattern;
  return {
    ...verdict,
    user: client.user,
    userAgent: client.userAgent,
    sources: sources.length,
    resource: shape.resource,
    what: describeShape(shape),
    load,
    guard: adviseGuard(pattern),
  };
}

/** 12,345 */
export function many(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ",");
}
