// LISTs whose answers are huge, also where the limit was obeyed or may be passed over (resourceVersion=0): a few large
// Secrets or custom resources are enough, and each client that starts gets all of them.
import { type Verdict, many } from "./finding.ts";
import type { Pattern } from "./pattern.ts";
import { unpagedFullList } from "./unpaged-full-list.ts";

const largeBytes = 32e6;

export function largeList(pattern: Pattern): Verdict | undefined {
  const { shape, counts } = pattern;
  if (shape.verb !== "list" || unpagedFullList(pattern) !== undefined) return undefined;
  const each = counts.requests === 0 ? 0 : counts.bytesOut / counts.requests;
  if (each < largeBytes) return undefined;
  return {
    id: "large-list",
    howMuch: `${many(counts.requests)} times ${many(each / 1e6)} MB, ${many(counts.bytesOut / 1e6)} MB in all`,
    change:
      "select the objects that are needed, keep large data out of them, share one informer, or let it stream (sendInitialEvents; client-go 1.35 does)",
  };
}
