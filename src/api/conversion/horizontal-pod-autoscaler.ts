// autoscaling/v1 <-> autoscaling/v2 (stored). v1 knows one CPU target; what else v2 says travels in annotations, so
// that a v1 client can read and write back without loss (upstream: pkg/apis/autoscaling/v1/conversion.go).
import { parseJson, stringifyJson } from "../../std/json.ts";
import type { KubeObject } from "../object.ts";
import type {
  HorizontalPodAutoscalerSpec as SpecV1,
  HorizontalPodAutoscalerStatus as StatusV1,
  MetricSpec as MetricSpecV1,
  MetricStatus as MetricStatusV1,
} from "../types/autoscaling-v1.ts";
import type {
  HPAScalingRules,
  HorizontalPodAutoscalerBehavior,
  HorizontalPodAutoscalerCondition,
  HorizontalPodAutoscalerSpec,
  HorizontalPodAutoscalerStatus,
  MetricSpec,
  MetricStatus,
} from "../types/autoscaling-v2.ts";
import {
  metricSpecFromV1,
  metricSpecToV1,
  metricStatusFromV1,
  metricStatusToV1,
} from "./autoscaling-metrics.ts";

export const metricsAnnotation = "autoscaling.alpha.kubernetes.io/metrics";
const currentMetricsAnnotation = "autoscaling.alpha.kubernetes.io/current-metrics";
const conditionsAnnotation = "autoscaling.alpha.kubernetes.io/conditions";
const behaviorAnnotation = "autoscaling.alpha.kubernetes.io/behavior";
const roundTripAnnotations = [
  metricsAnnotation,
  currentMetricsAnnotation,
  conditionsAnnotation,
  behaviorAnnotation,
];

export function autoscalerToStorage(object: KubeObject): KubeObject {
  const annotations = object.metadata.annotations ?? {};
  const kept = Object.entries(annotations).filter(([key]) => !roundTripAnnotations.includes(key));
  const { annotations: _, ...metadata } = object.metadata;
  return {
    kind: "HorizontalPodAutoscaler",
    apiVersion: "autoscaling/v2",
    metadata: kept.length === 0 ? metadata : { ...metadata, annotations: Object.fromEntries(kept) },
    spec: specToStorage((object["spec"] ?? {}) as SpecV1, annotations),
    status: statusToStorage((object["status"] ?? {}) as StatusV1, annotations),
  };
}

export function autoscalerFromStorage(object: Readonly<KubeObject>): KubeObject {
  const spec = (object["spec"] ?? {}) as HorizontalPodAutoscalerSpec;
  const status = (object["status"] ?? {}) as HorizontalPodAutoscalerStatus;
  const annotations = { ...object.metadata.annotations, ...annotationsFor(spec, status) };
  const metadata = { ...object.metadata };
  if (Object.keys(annotations).length > 0) metadata.annotations = annotations;
  const target = spec.metrics?.find((metric) => isCpuTarget(metric))?.resource?.target;
  const current = status.currentMetrics?.find((metric) => isCpuStatus(metric))?.resource?.current;
  return {
    kind: "HorizontalPodAutoscaler",
    apiVersion: "autoscaling/v1",
    metadata,
    spec: defined({
      scaleTargetRef: spec.scaleTargetRef,
      minReplicas: spec.minReplicas,
      maxReplicas: spec.maxReplicas,
      targetCPUUtilizationPercentage: target?.averageUtilization,
    }),
    status: defined({
      observedGeneration: status.observedGeneration,
      lastScaleTime: status.lastScaleTime,
      currentReplicas: status.currentReplicas ?? 0,
      desiredReplicas: status.desiredReplicas ?? 0,
      currentCPUUtilizationPercentage: current?.averageUtilization,
    }),
  };
}

function isCpuTarget(metric: MetricSpec): boolean {
  const { resource } = metric;
  return (
    metric.type === "Resource" &&
    resource?.name === "cpu" &&
    resource.target.averageUtilization !== undefined
  );
}

function isCpuStatus(metric: MetricStatus): boolean {
  const { resource } = metric;
  return (
    metric.type === "Resource" &&
    resource?.name === "cpu" &&
    resource.current.averageUtilization !== undefined
  );
}

/** The current CPU value is repeated in the annotation: v1 has no place for its raw form. */
function annotationsFor(
  spec: HorizontalPodAutoscalerSpec,
  status: HorizontalPodAutoscalerStatus,
): Record<string, string> {
  const others = (spec.metrics ?? []).filter((metric) => !isCpuTarget(metric));
  const found: Record<string, string> = {};
  const put = (key: string, list: readonly unknown[]): void => {
    if (list.length > 0) found[key] = stringifyJson(list);
  };
  put(
    metricsAnnotation,
    others.map((metric) => metricSpecToV1(metric)),
  );
  put(
    currentMetricsAnnotation,
    (status.currentMetrics ?? []).map((metric) => metricStatusToV1(metric)),
  );
  put(conditionsAnnotation, status.conditions ?? []);
  if (spec.behavior !== undefined) {
    found[behaviorAnnotation] = stringifyJson(behaviorToAnnotation(spec.behavior));
  }
  return found;
}

function specToStorage(
  spec: SpecV1,
  annotations: Readonly<Record<string, string>>,
): HorizontalPodAutoscalerSpec {
  const metrics: MetricSpec[] = [];
  if (spec.targetCPUUtilizationPercentage !== undefined) {
    const averageUtilization = spec.targetCPUUtilizationPercentage;
    const target = { type: "Utilization", averageUtilization };
    metrics.push({ type: "Resource", resource: { name: "cpu", target } });
  }
  const others = (parsedList(annotations[metricsAnnotation]) ?? []) as MetricSpecV1[];
  metrics.push(...others.map((metric) => metricSpecFromV1(metric)));
  const behavior = parsed(annotations[behaviorAnnotation]);
  return defined({
    scaleTargetRef: spec.scaleTargetRef,
    minReplicas: spec.minReplicas,
    maxReplicas: spec.maxReplicas,
    metrics: metrics.length === 0 ? undefined : metrics,
    behavior: isObject(behavior)
      ? behaviorFromAnnotation(behavior as AnnotatedBehavior)
      : undefined,
  });
}

function statusToStorage(
  status: StatusV1,
  annotations: Readonly<Record<string, string>>,
): HorizontalPodAutoscalerStatus {
  const annotated = parsedList(annotations[currentMetricsAnnotation]) as
    | MetricStatusV1[]
    | undefined;
  const conditions = parsedList(annotations[conditionsAnnotation]) as
    | HorizontalPodAutoscalerCondition[]
    | undefined;
  const averageUtilization = status.currentCPUUtilizationPercentage;
  const cpu: MetricStatus[] | undefined =
    averageUtilization === undefined
      ? undefined
      : [{ type: "Resource", resource: { name: "cpu", current: { averageUtilization } } }];
  return defined({
    observedGeneration: status.observedGeneration,
    lastScaleTime: status.lastScaleTime,
    currentReplicas: status.currentReplicas,
    desiredReplicas: status.desiredReplicas ?? 0,
    currentMetrics: annotated?.map((metric) => metricStatusFromV1(metric)) ?? cpu,
    conditions,
  });
}

/** Annotations are users' text: what is not JSON of the right outline counts as absent. */
function parsedList(text: string | undefined): object[] | undefined {
  const value = parsed(text);
  return Array.isArray(value) ? value.filter((item) => isObject(item)) : undefined;
}

function parsed(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

// Upstream writes its internal type here, whose fields have Go's capital names and print nil.
interface AnnotatedRules {
  readonly StabilizationWindowSeconds: number | null;
  readonly SelectPolicy: string | null;
  readonly Policies:
    | readonly { readonly Type: string; readonly Value: number; readonly PeriodSeconds: number }[]
    | null;
  readonly Tolerance: string | null;
}

interface AnnotatedBehavior {
  readonly ScaleUp: AnnotatedRules | null;
  readonly ScaleDown: AnnotatedRules | null;
}

function behaviorToAnnotation(behavior: HorizontalPodAutoscalerBehavior): AnnotatedBehavior {
  const rules = (from: HPAScalingRules | undefined): AnnotatedRules | null =>
    from === undefined
      ? null
      : {
          StabilizationWindowSeconds: from.stabilizationWindowSeconds ?? null,
          SelectPolicy: from.selectPolicy ?? null,
          Policies:
            from.policies?.map(({ type, value, periodSeconds }) => ({
              Type: type,
              Value: value,
              PeriodSeconds: periodSeconds,
            })) ?? null,
          Tolerance: from.tolerance ?? null,
        };
  return { ScaleUp: rules(behavior.scaleUp), ScaleDown: rules(behavior.scaleDown) };
}

function behaviorFromAnnotation(behavior: AnnotatedBehavior): HorizontalPodAutoscalerBehavior {
  const rules = (from: AnnotatedRules | null | undefined): HPAScalingRules | undefined =>
    from === null || from === undefined
      ? undefined
      : defined({
          stabilizationWindowSeconds: from.StabilizationWindowSeconds ?? undefined,
          selectPolicy: from.SelectPolicy ?? undefined,
          policies: Array.isArray(from.Policies)
            ? from.Policies.map(({ Type, Value, PeriodSeconds }) => ({
                type: Type,
                value: Value,
                periodSeconds: PeriodSeconds,
              }))
            : undefined,
          tolerance: from.Tolerance ?? undefined,
        });
  return defined({ scaleUp: rules(behavior.ScaleUp), scaleDown: rules(behavior.ScaleDown) });
}

type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** Without the fields that are undefined. */
function defined<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Defined<T>;
}
