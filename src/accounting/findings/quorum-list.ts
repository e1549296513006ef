// LISTs without resourceVersion, again and again: each must be as new as the last write, so servers of older versions
// read them from etcd, and newer ones make them wait for it.
import { type Verdict, many } from "./finding.ts";
import { type Pattern, returnedEach } from "./pattern.ts";

const listsMin = 20;
/** Smaller answers cost nobody anything. */
const objectsMin = 50;

export function quorumList(pattern: Pattern): Verdict | undefined {
  const { shape, counts } = pattern;
  if (shape.verb !== "list" || shape.resourceVersion !== "quorum") return undefined;
  if (counts.requests < listsMin) return undefined;
  const fromStore = counts.storeReads > 0;
  if (!fromStore && returnedEach(pattern) < objectsMin) return undefined;
  const stored = fromStore ? `, ${many(counts.storeObjects)} objects read from the store` : "";
  return {
    id: "quorum-list",
    howMuch: `${many(counts.requests)} LISTs without resourceVersion${stored}`,
    change:
      "where an answer may be a moment old, ask with resourceVersion=0: any cache may give it; informers do so by themselves",
  };
}
