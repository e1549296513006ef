// Pods under a quota of cpu or memory must say what they ask for, container by container (upstream:
// pkg/quota/v1/evaluator/core/pods.go Constraints).
import type { Container, PodSpec } from "../../api/types/core-v1.ts";

type Amounts = Readonly<Record<string, string>> | undefined;

interface Demand {
  readonly side: "requests" | "limits";
  readonly resource: "cpu" | "memory";
}

/** By the name under which a quota limits it. */
const demands: Readonly<Record<string, Demand>> = {
  cpu: { side: "requests", resource: "cpu" },
  memory: { side: "requests", resource: "memory" },
  "requests.cpu": { side: "requests", resource: "cpu" },
  "requests.memory": { side: "requests", resource: "memory" },
  "limits.cpu": { side: "limits", resource: "cpu" },
  "limits.memory": { side: "limits", resource: "memory" },
};

/** `limits.cpu for: c1,c2; requests.cpu for: c1`; "" when nothing is missing. `names`: what a quota limits. */
export function missingRequests(spec: PodSpec | undefined, names: readonly string[]): string {
  const { containers = [], initContainers = [], resources } = spec ?? { containers: [] };
  const all: readonly Container[] = [...containers, ...initContainers];
  return names
    .toSorted()
    .flatMap((name) => {
      const demand = demands[name];
      // What the pod says as a whole goes for all its containers.
      if (demand === undefined || says(resources?.[demand.side], demand)) return [];
      const silent = all
        .filter((container) => !says(container.resources?.[demand.side], demand))
        .map((container) => container.name);
      return silent.length === 0 ? [] : [`${name} for: ${silent.toSorted().join(",")}`];
    })
    .join("; ");
}

function says(amounts: Amounts, { resource }: Demand): boolean {
  return amounts?.[resource] !== undefined;
}
