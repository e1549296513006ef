// Which PersistentVolumeClaims a pod uses: those its volumes name, and those made for its ephemeral volumes.
import type { Pod } from "../types/core-v1.ts";

/** `namespace/name` of each. */
export function claimKeysOf({ metadata, spec }: Pod): string[] {
  const { namespace = "", name: pod = "" } = metadata;
  return (spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim !== undefined)
      return [`${namespace}/${persistentVolumeClaim.claimName}`];
    return ephemeral === undefined ? [] : [`${namespace}/${pod}-${name}`];
  });
}
