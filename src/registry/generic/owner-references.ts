// Duplicate owner references are dropped with a warning (upstream: endpoints/handlers/rest.go, dedupOwnerReferences).
import { stringifyJson } from "../../std/json.ts";
import type { ObjectMeta } from "../../api/types/meta-v1.ts";

/** In place. */
export function dropDuplicateOwners(metadata: ObjectMeta, warn: (text: string) => void): void {
  const references = metadata.ownerReferences ?? [];
  if (references.length < 2) return;
  const seen = new Set<string>();
  const duplicates = new Set<string>();
  metadata.ownerReferences = references.filter((reference) => {
    const text = stringifyJson(reference);
    if (seen.has(text)) duplicates.add(reference.uid);
    const isNew = !seen.has(text);
    seen.add(text);
    return isNew;
  });
  if (duplicates.size === 0) return;
  warn(
    `.metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${[...duplicates].join(", ")}`,
  );
}
