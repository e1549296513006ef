// Writes that change nothing: the same object sent over and over as it stands.
import { type Verdict, many } from "./finding.ts";
import type { Pattern } from "./pattern.ts";

const writesMin = 30;

export function hotWriter({ shape, counts }: Pattern): Verdict | undefined {
  if (shape.verb !== "update" && shape.verb !== "patch") return undefined;
  if (counts.unchangedWrites < writesMin) return undefined;
  if (counts.unchangedWrites < counts.requests / 2) return undefined;
  const same = Math.round((100 * counts.repeatedWrites) / counts.requests);
  return {
    id: "hot-writer",
    howMuch: `${many(counts.unchangedWrites)} of ${many(counts.requests)} writes changed nothing, ${same} % to the same object as the one before`,
    change:
      "compare with the informer's copy and write only what differs; do not let your own status update trigger the next sync",
  };
}
