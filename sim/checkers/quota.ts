// No namespace ever holds more pods that count than its quotas allow, once they have been taken up.
import type { Pod, ResourceQuota } from "../../src/api/types/core-v1.ts";
import type { MakeChecker } from "./checker.ts";

export const quota: MakeChecker = () => ({
  name: "quota",
  see({ resource, object, previous }, state) {
    if (resource !== "pods" || object === undefined || previous !== undefined) return [];
    const { namespace = "" } = object.metadata;
    const limits = (state.list("resourcequotas", namespace) as ResourceQuota[]).flatMap(
      ({ status }) => status?.hard?.["pods"] ?? [],
    );
    if (limits.length === 0) return [];
    const count = (state.list("pods", namespace) as Pod[]).filter(
      ({ status }) => status?.phase !== "Succeeded" && status?.phase !== "Failed",
    ).length;
    return limits
      .filter((limit) => count > Number(limit))
      .map((limit) => `namespace ${namespace} has ${count} pods, its quota allows ${limit}`);
  },
  atEnd: () => [],
});
