// Every finding over the rows of a ledger, the heaviest first.
import type { LedgerRow } from "../ledger/ledger-row.ts";
import { type Finder, type Finding, findingOf } from "./finding.ts";
import { hotWriter } from "./hot-writer.ts";
import { identicalAgents } from "./identical-agents.ts";
import { ignoresRetryAfter } from "./ignores-retry-after.ts";
import { patternsOf } from "./pattern.ts";
import { quorumList } from "./quorum-list.ts";
import { relistLoop } from "./relist-loop.ts";
import { unindexedSelector } from "./unindexed-selector.ts";
import { unpagedFullList } from "./unpaged-full-list.ts";
import { watchChurn } from "./watch-churn.ts";

const finders: readonly Finder[] = [
  unpagedFullList,
  quorumList,
  unindexedSelector,
  relistLoop,
  watchChurn,
  hotWriter,
  ignoresRetryAfter,
  identicalAgents,
];
const findingsMax = 50;

export function findAll(rows: readonly LedgerRow[], windowSeconds: number): Finding[] {
  const findings = patternsOf(rows).flatMap((pattern) =>
    finders.flatMap((find) => {
      const verdict = find(pattern, windowSeconds);
      return verdict === undefined ? [] : [findingOf(pattern, verdict)];
    }),
  );
  return findings.sort((a, b) => b.load - a.load).slice(0, findingsMax);
}
