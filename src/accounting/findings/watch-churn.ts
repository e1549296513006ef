// Watches that hardly live: opening one costs as much as a LIST or a walk through history, again and again.
import { type Verdict, many } from "./finding.ts";
import type { Pattern } from "./pattern.ts";

const openedMin = 20;
const shortMs = 30_000;

export function watchChurn({ shape, counts, members }: Pattern): Verdict | undefined {
  if (shape.verb !== "watch") return undefined;
  if (counts.watchesOpened < openedMin || counts.watchesOpened < members * 3) return undefined;
  if (counts.watchesClosed < counts.watchesOpened / 2) return undefined;
  const lifeMs = counts.watchMs / counts.watchesClosed;
  if (lifeMs >= shortMs) return undefined;
  return {
    id: "watch-churn",
    howMuch: `${many(counts.watchesOpened)} watches opened, each open for ${(lifeMs / 1_000).toFixed(1)} s`,
    change:
      "keep one watch open for minutes (leave timeoutSeconds out or above 300), share it in the process, and watch a collection instead of single objects",
  };
}
