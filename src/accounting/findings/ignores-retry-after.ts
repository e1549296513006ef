// Refused with 429 and back before the time it was given: refusals then cost more than they save.
import { type Verdict, many } from "./finding.ts";
import type { Pattern } from "./pattern.ts";

const rejectionsMin = 5;

export function ignoresRetryAfter({ counts, ...rest }: Pattern): Verdict | undefined {
  if (counts.rejections < rejectionsMin) return undefined;
  if (counts.impatient < counts.rejections / 2) return undefined;
  // Many clients behind one address that come at once do not know of each other's refusals.
  if (counts.impatient < 2 * rest.peakPerSecond) return undefined;
  return {
    id: "ignores-retry-after",
    howMuch: `${many(counts.impatient)} requests before the Retry-After of ${many(counts.rejections)} refusals was over`,
    change:
      "wait as long as the Retry-After header of a 429 says, and longer with each refusal; client-go and its relatives do",
  };
}
