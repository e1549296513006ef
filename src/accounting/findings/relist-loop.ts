// The same full LIST over and over from one place: polling where a watch would do, or an informer that never gets one.
import { type Verdict, many } from "./finding.ts";
import { type Pattern, returnedEach } from "./pattern.ts";

const perMinuteMin = 6;
const timesMin = 5;
const objectsMin = 50;

export function relistLoop(pattern: Pattern, windowSeconds: number): Verdict | undefined {
  const { shape, counts, sources } = pattern;
  if (shape.verb !== "list" || shape.resourceVersion === "continue") return undefined;
  const perSource = counts.requests / sources.length;
  const perMinute = (perSource * 60) / windowSeconds;
  if (perSource < timesMin || perMinute < perMinuteMin) return undefined;
  if (returnedEach(pattern) < objectsMin) return undefined;
  return {
    id: "relist-loop",
    howMuch: `${many(perMinute)} LISTs a minute from ${sources.length === 1 ? "one address" : `each of ${many(sources.length)} addresses`}`,
    change:
      "list once, then watch from the list's resourceVersion; after 410 Gone list again, but back off when that repeats",
  };
}
