import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { HorizontalPodAutoscalerSpec } from "../../api/types/autoscaling-v2.ts";
import type { Pod } from "../../api/types/core-v1.ts";
import type { PodMetrics } from "../../api/types/metrics-v1beta1.ts";
import { type Memory, noMemory } from "./bounds.ts";
import { autoscalerLaw } from "./law.ts";
import { type View, planAutoscaler } from "./plan.ts";

const now = Date.parse("2026-01-05T07:00:00Z");
const iso = (ms: number): string => new Date(ms).toISOString().replace(".000Z", "Z");

interface Shape {
  /** Use of cpu of each pod in thousandths; undefined: it has no metrics. */
  readonly uses: readonly (number | undefined)[];
  readonly spec?: Partial<HorizontalPodAutoscalerSpec>;
  readonly request?: string;
  readonly readyForMs?: number;
  readonly memory?: Memory;
  readonly current?: number;
}

function viewOf(shape: Shape): View {
  const { uses, spec = {}, request = "100m", readyForMs = 600_000, memory = noMemory } = shape;
  const since = iso(now - readyForMs);
  const resources = request === "" ? {} : { resources: { requests: { cpu: request } } };
  const pods: Pod[] = uses.map((_use, index) => ({
    metadata: { name: `p${index}` },
    spec: { containers: [{ name: "c", image: "i", ...resources }] },
    status: {
      phase: "Running",
      startTime: since,
      conditions: [{ type: "Ready", status: "True", lastTransitionTime: since }],
    },
  }));
  const metrics: PodMetrics[] = uses.flatMap((use, index) =>
    use === undefined
      ? []
      : [
          {
            metadata: { name: `p${index}` },
            timestamp: iso(now),
            window: "5s",
            containers: [{ name: "c", usage: { cpu: `${use}m` } }],
          },
        ],
  );
  const cpu = { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } };
  return {
    autoscaler: {
      metadata: { name: "h" },
      spec: {
        scaleTargetRef: { kind: "Deployment", name: "d" },
        minReplicas: 1,
        maxReplicas: 10,
        metrics: [{ type: "Resource", resource: cpu }],
        ...spec,
      },
    },
    current: shape.current ?? uses.length,
    pods,
    metrics,
    memory,
    now,
    law: autoscalerLaw,
  };
}

function conditionsOf(view: View): Record<string, string> {
  const { conditions = [] } = planAutoscaler(view).status;
  return Object.fromEntries(
    conditions.map(({ type, status, reason }) => [type, `${status} ${reason}`]),
  );
}

describe("the size", () => {
  it.each<[string, Shape, number | undefined]>([
    ["stays within the tolerance", { uses: [54, 54] }, undefined],
    ["grows by what is used", { uses: [100, 100] }, 4],
    ["shrinks by what is used", { uses: [20, 20, 20, 20] }, 2],
    ["at most doubles, beyond four", { uses: [500, 500, 500] }, 6],
    ["keeps to the maximum", { uses: [100, 100], spec: { maxReplicas: 3 } }, 3],
    ["keeps to the minimum", { uses: [0, 0, 0], spec: { minReplicas: 2 } }, 2],
    ["comes up to the minimum", { uses: [50], spec: { minReplicas: 2 } }, 2],
    ["counts pods without metrics as idle when it grows", { uses: [100, 100, undefined] }, 4],
    ["counts pods without metrics as busy when it shrinks", { uses: [20, undefined] }, undefined],
    ["does not look at pods that just started", { uses: [100, 100], readyForMs: 2_000 }, undefined],
    ["is not asked for at zero", { uses: [], current: 0 }, undefined],
  ])("%s", (_what, shape, replicas) => {
    expect(planAutoscaler(viewOf(shape)).resize?.replicas).toBe(replicas);
  });

  it("never leaves its bounds", () => {
    const uses = fc.array(fc.option(fc.integer({ min: 0, max: 400 }), { nil: undefined }), {
      minLength: 1,
      maxLength: 12,
    });
    fc.assert(
      fc.property(
        uses,
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 5, max: 9 }),
        (all, min, max) => {
          const view = viewOf({ uses: all, spec: { minReplicas: min, maxReplicas: max } });
          const { status, resize } = planAutoscaler(view);
          const steady = status.conditions?.some(
            ({ status: s, type }) => type === "ScalingActive" && s === "False",
          );
          if (steady !== true || resize !== undefined) {
            expect(status.desiredReplicas).toBeGreaterThanOrEqual(min);
            expect(status.desiredReplicas).toBeLessThanOrEqual(max);
          }
        },
      ),
    );
  });
});

describe("what it says", () => {
  it("when it grows", () => {
    const { status, events } = planAutoscaler(viewOf({ uses: [100, 100] }));
    expect(events).toEqual([
      {
        type: "Normal",
        reason: "SuccessfulRescale",
        message:
          "New size: 4; reason: cpu resource utilization (percentage of request) above target",
      },
    ]);
    expect(status).toMatchObject({
      currentReplicas: 2,
      desiredReplicas: 4,
      lastScaleTime: iso(now),
      currentMetrics: [
        { resource: { current: { averageUtilization: 100, averageValue: "100m" } } },
      ],
    });
  });

  it.each<[string, Shape, Record<string, string>]>([
    [
      "all is well",
      { uses: [50] },
      {
        AbleToScale: "True ReadyForNewScale",
        ScalingActive: "True ValidMetricFound",
        ScalingLimited: "False DesiredWithinRange",
      },
    ],
    [
      "it may not grow as fast",
      { uses: [900] },
      {
        AbleToScale: "True SucceededRescale",
        ScalingActive: "True ValidMetricFound",
        ScalingLimited: "True ScaleUpLimit",
      },
    ],
    [
      "a container requests nothing",
      { uses: [50], request: "" },
      { AbleToScale: "True SucceededGetScale", ScalingActive: "False FailedGetResourceMetric" },
    ],
    [
      "nothing is measured",
      { uses: [undefined] },
      { AbleToScale: "True SucceededGetScale", ScalingActive: "False FailedGetResourceMetric" },
    ],
    [
      "the target is switched off",
      { uses: [], current: 0 },
      { AbleToScale: "True SucceededGetScale", ScalingActive: "False ScalingDisabled" },
    ],
    [
      "its metric is not served",
      { uses: [50], spec: { metrics: [{ type: "External" }] } },
      { AbleToScale: "True SucceededGetScale", ScalingActive: "False FailedGetExternalMetric" },
    ],
  ])("when %s", (_what, shape, conditions) => {
    expect(conditionsOf(viewOf(shape))).toEqual(conditions);
  });

  it("why there is no answer, in the words of upstream", () => {
    const { events } = planAutoscaler(viewOf({ uses: [50], request: "" }));
    const why = "failed to get cpu utilization: missing request for cpu in container c of Pod p0";
    expect(events).toEqual([
      { type: "Warning", reason: "FailedGetResourceMetric", message: why },
      {
        type: "Warning",
        reason: "FailedComputeMetricsReplicas",
        message: `invalid metrics (1 invalid out of 1), first error is: failed to get cpu resource metric value: ${why}`,
      },
    ]);
  });
});

describe("what was wanted before", () => {
  it("keeps it from shrinking for five minutes", () => {
    const memory: Memory = {
      recommendations: [{ at: now - 299_000, replicas: 4 }],
      changes: [],
    };
    const early = viewOf({ uses: [10, 10, 10, 10], memory });
    expect(planAutoscaler(early).resize).toBeUndefined();
    expect(conditionsOf(early)["AbleToScale"]).toBe("True ScaleDownStabilized");
    expect(planAutoscaler({ ...early, now: now + 2_000 }).resize?.replicas).toBe(1);
  });

  it("keeps it from changing faster than its policies", () => {
    const policies = [{ type: "Pods", value: 3, periodSeconds: 60 }];
    const rules = { stabilizationWindowSeconds: 0, selectPolicy: "Max", policies };
    const memory: Memory = { recommendations: [], changes: [{ at: now - 30_000, by: 2 }] };
    const up = viewOf({ uses: [200, 200, 200], spec: { behavior: { scaleUp: rules } }, memory });
    // Two of the three were added half a minute ago.
    expect(planAutoscaler(up).resize?.replicas).toBe(4);
    const never = { ...rules, selectPolicy: "Disabled" };
    const down = viewOf({ uses: [0, 0, 0], spec: { behavior: { scaleDown: never } } });
    expect(planAutoscaler(down).resize).toBeUndefined();
    expect(conditionsOf(down)["ScalingLimited"]).toBe("True ScaleDownLimit");
  });
});
