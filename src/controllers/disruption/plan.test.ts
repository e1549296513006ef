import { describe, expect, it } from "vitest";
import type { Pod } from "../../api/types/core-v1.ts";
import type { PodDisruptionBudget } from "../../api/types/policy-v1.ts";
import type { Served } from "../../client/served-object.ts";
import { planBudget, planFailure } from "./plan.ts";
import { planStale } from "./stale-target.ts";

const now = Date.parse("2026-01-01T00:10:00Z");
const stored = { uid: "u", resourceVersion: "1", creationTimestamp: "2026-01-01T00:00:00Z" };

function budget(
  spec: PodDisruptionBudget["spec"],
  status?: PodDisruptionBudget["status"],
): Served<PodDisruptionBudget> {
  const metadata = { ...stored, name: "b", namespace: "ns", generation: 3 };
  return { metadata, spec: { ...spec }, ...(status === undefined ? {} : { status }) };
}

function pods(ready: number, unready = 0): Served<Pod>[] {
  return Array.from({ length: ready + unready }, (_, index) => ({
    metadata: { ...stored, name: `p${index}`, namespace: "ns" },
    status: { conditions: [{ type: "Ready", status: index < ready ? "True" : "False" }] },
  }));
}

describe("planBudget", () => {
  it.each([
    // spec, ready, unready, scale: expected, desired, allowed
    [{ minAvailable: 2 }, 3, 0, 0, [3, 2, 1]],
    [{ minAvailable: 5 }, 3, 0, 0, [3, 5, 0]],
    [{ minAvailable: "50%" }, 3, 0, 5, [5, 3, 0]],
    [{ minAvailable: "50%" }, 5, 0, 5, [5, 3, 2]],
    [{ minAvailable: "100%" }, 4, 0, 4, [4, 4, 0]],
    [{ maxUnavailable: 0 }, 3, 0, 3, [3, 3, 0]],
    [{ maxUnavailable: 1 }, 3, 0, 3, [3, 2, 1]],
    [{ maxUnavailable: 1 }, 2, 1, 3, [3, 2, 0]],
    [{ maxUnavailable: "30%" }, 10, 0, 10, [10, 7, 3]],
    [{ maxUnavailable: "25%" }, 3, 0, 3, [3, 2, 1]],
    [{ maxUnavailable: 5 }, 3, 0, 3, [3, 0, 3]],
    [{ maxUnavailable: 1 }, 0, 0, 0, [0, 0, 0]],
  ])("%j of %i ready and %i other pods of %i", (spec, ready, unready, expectedScale, expected) => {
    const view = { budget: budget(spec), pods: pods(ready, unready), expectedScale };
    const { status } = planBudget(view, now);
    const { expectedPods, desiredHealthy, disruptionsAllowed } = status;
    expect([expectedPods, desiredHealthy, disruptionsAllowed]).toEqual(expected);
    expect(status.currentHealthy).toBe(ready);
    expect(status.conditions).toEqual([
      {
        type: "DisruptionAllowed",
        status: disruptionsAllowed > 0 ? "True" : "False",
        reason: disruptionsAllowed > 0 ? "SufficientPods" : "InsufficientPods",
        message: "",
        observedGeneration: 3,
        lastTransitionTime: "2026-01-01T00:10:00Z",
      },
    ]);
  });

  it("does not count pods whose eviction is under way, until that has taken too long", () => {
    const disruptedPods = {
      p0: "2026-01-01T00:09:00Z",
      p1: "2026-01-01T00:08:00Z",
      gone: "2026-01-01T00:09:59Z",
    };
    const counts = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 };
    const plan = planBudget(
      {
        budget: budget({ minAvailable: 1 }, { ...counts, disruptedPods }),
        pods: pods(3),
        expectedScale: 0,
      },
      now,
    );
    expect(plan.status).toMatchObject({
      currentHealthy: 2,
      disruptedPods: { p0: "2026-01-01T00:09:00Z" },
    });
    expect(plan.notDeleted.map(({ metadata }) => metadata.name)).toEqual(["p1"]);
    expect(plan.requeueAfterMs).toBe(60_000);
  });

  it("lets nobody go when the count is not known", () => {
    expect(planFailure(budget({ maxUnavailable: 1 }), "why", now)).toMatchObject({
      disruptionsAllowed: 0,
      conditions: [{ status: "False", reason: "SyncFailed", message: "why" }],
    });
  });
});

describe("planStale", () => {
  const pod = (since: string, status = "True"): Pod => ({
    metadata: { name: "p" },
    status: { conditions: [{ type: "DisruptionTarget", status, lastTransitionTime: since }] },
  });

  it.each([
    [pod("2026-01-01T00:09:00Z"), { do: "wait", ms: 60_000 }],
    [pod("2026-01-01T00:09:00Z", "False"), undefined],
    [
      pod("2026-01-01T00:08:00Z"),
      {
        do: "reset",
        conditions: [
          {
            type: "DisruptionTarget",
            status: "False",
            lastTransitionTime: "2026-01-01T00:10:00Z",
          },
        ],
      },
    ],
  ])("%#", (of, expected) => {
    expect(planStale(of, now)).toEqual(expected);
  });
});
