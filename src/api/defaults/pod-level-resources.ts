// Resources a pod asks for as a whole (KEP-2837): requests it leaves out follow its limits. Refuses to know what the
// containers ask for.
import type { PodSpec } from "../types/core-v1.ts";

export function defaultPodLevelResources(spec: PodSpec): void {
  const { resources } = spec;
  if (!resources?.limits || Object.keys(resources.limits).length === 0) return;
  const requests = (resources.requests ??= {});
  for (const [name, limit] of Object.entries(resources.limits)) requests[name] ??= limit;
}
