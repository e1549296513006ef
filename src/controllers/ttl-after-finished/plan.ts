// When a Job's time to live is over. Pure.
import type { Job } from "../../api/types/batch-v1.ts";

/** Epoch ms; undefined: it has none, has not finished, or is being deleted already. */
export function expiresAt({ metadata, spec, status }: Job): number | undefined {
  const seconds = spec?.ttlSecondsAfterFinished;
  if (seconds === undefined || metadata.deletionTimestamp != null) return undefined;
  const end = status?.conditions?.find(
    ({ type, status }) => (type === "Complete" || type === "Failed") && status === "True",
  );
  const at = end?.lastTransitionTime;
  return at == null ? undefined : Date.parse(at) + seconds * 1_000;
}
