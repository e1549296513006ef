// The same few objects written over and over: as they stand, which costs a request, or a little changed each time, which
// also costs a revision and an event to everybody who watches.
import { type Verdict, many } from "./finding.ts";
import type { Pattern } from "./pattern.ts";

const unchangedMin = 30;
/** More than a leader's lease takes: one each two seconds is 150 in the window. */
const repeatedMin = 300;

export function hotWriter(pattern: Pattern): Verdict | undefined {
  const { verb } = pattern.shape;
  if (verb !== "update" && verb !== "patch") return undefined;
  return idle(pattern.counts) ?? busy(pattern);
}

function idle({
  requests,
  unchangedWrites,
  repeatedWrites,
}: Pattern["counts"]): Verdict | undefined {
  if (unchangedWrites < unchangedMin || unchangedWrites < requests / 2) return undefined;
  const same = Math.round((100 * repeatedWrites) / requests);
  return {
    id: "hot-writer",
    howMuch: `${many(unchangedWrites)} of ${many(requests)} writes changed nothing, ${same} % to the same few objects`,
    change:
      "compare with the informer's copy and write only what differs; do not let your own status update trigger the next sync",
  };
}

function busy({ counts, members }: Pattern): Verdict | undefined {
  const { requests, repeatedWrites } = counts;
  if (repeatedWrites < repeatedMin * members || repeatedWrites < requests / 2) return undefined;
  return {
    id: "hot-writer",
    howMuch: `${many(repeatedWrites)} of ${many(requests)} writes were to the same few objects, each a revision and an event`,
    change:
      "put changes together and write a status at most every few seconds; do not let your own update trigger the next sync",
  };
}
