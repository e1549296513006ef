// A scenario as it is with its guard: what the guard changes of the world is changed, its manifests are left to the run.
import type { Scenario } from "./scenario.ts";

export function guarded(scenario: Scenario): Scenario {
  const { guard } = scenario;
  if (guard === undefined) return scenario;
  const { controlPlane } = scenario;
  return {
    ...scenario,
    profile: guard.profile ?? scenario.profile,
    kubelet: { ...scenario.kubelet, ...guard.kubelet },
    controlPlane: {
      ...controlPlane,
      runawayOwnerLimit: guard.runawayOwnerLimit ?? controlPlane.runawayOwnerLimit,
    },
    // What is there already stays as it is: the guard's objects come first.
    prepare: [...guard.prepare, ...scenario.prepare],
  };
}
