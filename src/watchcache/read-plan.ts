// Which state a LIST asks for, from resourceVersion, resourceVersionMatch, limit and continue (upstream:
// storage/cacher/delegator). A table as code, with no cache in it.
import type { CacheListOptions } from "./resource-cache.ts";

export type ReadPlan =
  /** The newest state, no older than any write before the request. */
  | { readonly kind: "Consistent"; readonly limit: number; readonly startKey: string }
  /** Whatever is there. Only the store heeds the limit. */
  | { readonly kind: "Any"; readonly limit: number }
  | { readonly kind: "NotOlderThan"; readonly revision: number; readonly limit: number }
  | {
      readonly kind: "Exact";
      readonly revision: number;
      readonly limit: number;
      readonly startKey: string;
    };

export function readPlan(options: CacheListOptions): ReadPlan {
  const { limit, resourceVersion: revision, match, continueFrom } = options;
  if (continueFrom !== undefined) {
    const { startKey } = continueFrom;
    if (continueFrom.revision < 0) return { kind: "Consistent", limit, startKey };
    return { kind: "Exact", revision: continueFrom.revision, limit, startKey };
  }
  if (revision === undefined) return { kind: "Consistent", limit, startKey: "" };
  // Clients learned to rely on it: an answer "from the cache" is never cut into pages (k/k #118394).
  if (revision === 0) return { kind: "Any", limit };
  // Without a match, a limit turns "not older" into "exactly": pages must belong together.
  const exact = match === "Exact" || (match === undefined && limit > 0);
  if (exact) return { kind: "Exact", revision, limit, startKey: "" };
  return { kind: "NotOlderThan", revision, limit };
}
