import { describe, expect, test } from "vitest";
import type { KubeObject } from "../object.ts";
import { fromStorage, storedKind, toStorage } from "./conversion.ts";
import { storedEventField } from "./event.ts";

const newEvent = { group: "events.k8s.io", version: "v1", kind: "Event" };
const v1 = { group: "autoscaling", version: "v1", kind: "HorizontalPodAutoscaler" };

describe("an events.k8s.io/v1 Event", () => {
  const event: KubeObject = {
    kind: "Event",
    apiVersion: "events.k8s.io/v1",
    metadata: { name: "e", namespace: "n" },
    eventTime: "2026-01-02T03:04:05.000006Z",
    reportingController: "c",
    reportingInstance: "c-1",
    action: "Act",
    reason: "Because",
    regarding: { kind: "Pod", name: "p" },
    note: "text",
    type: "Normal",
    deprecatedCount: 2,
  };

  test("is stored as a v1 Event and comes back the same", () => {
    const stored = toStorage(newEvent, event);
    expect(stored).toEqual({
      kind: "Event",
      apiVersion: "v1",
      metadata: { name: "e", namespace: "n" },
      eventTime: "2026-01-02T03:04:05.000006Z",
      reportingComponent: "c",
      reportingInstance: "c-1",
      action: "Act",
      reason: "Because",
      involvedObject: { kind: "Pod", name: "p" },
      message: "text",
      type: "Normal",
      count: 2,
    });
    expect(fromStorage(newEvent, stored)).toEqual(event);
  });

  test("has selectable fields under other names", () => {
    expect(storedEventField("regarding.name")).toBe("involvedObject.name");
    expect(storedEventField("reportingController")).toBe("reportingComponent");
    expect(storedEventField("reason")).toBe("reason");
  });
});

describe("an autoscaling/v1 HorizontalPodAutoscaler", () => {
  const stored: KubeObject = {
    kind: "HorizontalPodAutoscaler",
    apiVersion: "autoscaling/v2",
    metadata: { name: "h", namespace: "n", annotations: { mine: "1" } },
    spec: {
      scaleTargetRef: { kind: "Deployment", name: "d", apiVersion: "apps/v1" },
      minReplicas: 1,
      maxReplicas: 3,
      metrics: [
        {
          type: "Resource",
          resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } },
        },
        {
          type: "Resource",
          resource: { name: "memory", target: { type: "AverageValue", averageValue: "1Gi" } },
        },
        {
          type: "Pods",
          pods: { metric: { name: "rps" }, target: { type: "AverageValue", averageValue: "10" } },
        },
        {
          type: "Object",
          object: {
            describedObject: { kind: "Service", name: "s" },
            target: { type: "Value", value: "5" },
            metric: { name: "hits", selector: { matchLabels: { a: "b" } } },
          },
        },
        {
          type: "External",
          external: { metric: { name: "queue" }, target: { type: "Value", value: "7" } },
        },
        {
          type: "ContainerResource",
          containerResource: {
            name: "cpu",
            target: { type: "Utilization", averageUtilization: 5 },
            container: "c",
          },
        },
      ],
      behavior: {
        scaleUp: {
          stabilizationWindowSeconds: 0,
          selectPolicy: "Max",
          policies: [{ type: "Pods", value: 4, periodSeconds: 15 }],
        },
      },
    },
    status: {
      currentReplicas: 1,
      desiredReplicas: 2,
      currentMetrics: [
        {
          type: "Resource",
          resource: { name: "cpu", current: { averageValue: "100m", averageUtilization: 50 } },
        },
      ],
      conditions: [{ type: "AbleToScale", status: "True" }],
    },
  };

  test("keeps in annotations what it cannot say, and gives it back", () => {
    const served = fromStorage(v1, stored);
    expect(served["spec"]).toEqual({
      scaleTargetRef: { kind: "Deployment", name: "d", apiVersion: "apps/v1" },
      minReplicas: 1,
      maxReplicas: 3,
      targetCPUUtilizationPercentage: 80,
    });
    expect(served["status"]).toEqual({
      currentReplicas: 1,
      desiredReplicas: 2,
      currentCPUUtilizationPercentage: 50,
    });
    expect(served.metadata.annotations).toMatchObject({
      mine: "1",
      "autoscaling.alpha.kubernetes.io/behavior":
        '{"ScaleUp":{"StabilizationWindowSeconds":0,"SelectPolicy":"Max","Policies":[{"Type":"Pods","Value":4,"PeriodSeconds":15}],"Tolerance":null},"ScaleDown":null}',
      "autoscaling.alpha.kubernetes.io/conditions": '[{"type":"AbleToScale","status":"True"}]',
    });
    expect(toStorage(v1, served)).toEqual(stored);
  });

  test("needs no annotations for a CPU target alone", () => {
    const plain: KubeObject = {
      kind: "HorizontalPodAutoscaler",
      apiVersion: "autoscaling/v1",
      metadata: { name: "h" },
      spec: {
        scaleTargetRef: { kind: "D", name: "d" },
        maxReplicas: 3,
        targetCPUUtilizationPercentage: 70,
      },
      status: { currentReplicas: 0, desiredReplicas: 0 },
    };
    const there = toStorage(v1, plain);
    expect(there["spec"]).toMatchObject({
      metrics: [
        {
          type: "Resource",
          resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 70 } },
        },
      ],
    });
    expect(fromStorage(v1, there)).toEqual(plain);
  });

  test("ignores annotations that are no JSON", () => {
    const broken: KubeObject = {
      metadata: { name: "h", annotations: { "autoscaling.alpha.kubernetes.io/metrics": "{" } },
      spec: { scaleTargetRef: { kind: "D", name: "d" }, maxReplicas: 3 },
    };
    expect(toStorage(v1, broken)["spec"]).toEqual({
      scaleTargetRef: { kind: "D", name: "d" },
      maxReplicas: 3,
    });
  });
});

test("everything else is stored as it is", () => {
  const pod: KubeObject = { kind: "Pod", apiVersion: "v1", metadata: { name: "p" } };
  const kind = { group: "", version: "v1", kind: "Pod" };
  expect(toStorage(kind, pod)).toBe(pod);
  expect(fromStorage(kind, pod)).toBe(pod);
  expect(storedKind(kind)).toBe(kind);
  expect(storedKind(v1).version).toBe("v2");
});
