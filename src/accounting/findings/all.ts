// Every finding over the rows of a ledger, the heaviest first.
import type { LedgerRow } from "../ledger/ledger-row.ts";
import { type Finder, type Finding, findingOf } from "./finding.ts";
import { hotWriter } from "./hot-writer.ts";
import { identicalAgents } from "./identical-agents.ts";
import { ignoresRetryAfter } from "./ignores-retry-after.ts";
import { largeList } from "./large-list.ts";
import { listPerObject } from "./list-per-object.ts";
import { massDelete } from "./mass-delete.ts";
import { type Pattern, byUser, nodesTogether, patternsOf } from "./pattern.ts";
import { quorumList } from "./quorum-list.ts";
import { relistLoop } from "./relist-loop.ts";
import { unindexedSelector } from "./unindexed-selector.ts";
import { unpagedFullList } from "./unpaged-full-list.ts";
import { watchChurn } from "./watch-churn.ts";

const finders: readonly Finder[] = [
  unpagedFullList,
  largeList,
  quorumList,
  unindexedSelector,
  relistLoop,
  hotWriter,
  massDelete,
  ignoresRetryAfter,
  identicalAgents,
];
/** Of what one node does little and all of them together much. */
const nodeFinders: readonly Finder[] = [listPerObject, watchChurn];
const findingsMax = 50;

export function findAll(rows: readonly LedgerRow[], windowSeconds: number): Finding[] {
  const judge = (patterns: readonly Pattern[], judges: readonly Finder[]): Finding[] =>
    patterns.flatMap((pattern) =>
      judges.flatMap((find) => {
        const verdict = find(pattern, windowSeconds);
        return verdict === undefined ? [] : [findingOf(pattern, verdict)];
      }),
    );
  const findings = [
    ...judge(patternsOf(rows, byUser), finders),
    ...judge(patternsOf(rows, nodesTogether), nodeFinders),
  ];
  return findings.sort((a, b) => b.load - a.load).slice(0, findingsMax);
}
