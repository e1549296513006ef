// One look at a HorizontalPodAutoscaler: how many pods its target should have, and what its status and events say of it
// (upstream: podautoscaler/horizontal.go). Pure.
import { formatTime } from "../../api/codec/time.ts";
import { amountOf } from "../../api/pod/amounts.ts";
import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerCondition,
  HorizontalPodAutoscalerStatus,
  MetricSpec,
  MetricStatus,
  MetricTarget,
} from "../../api/types/autoscaling-v2.ts";
import type { Pod } from "../../api/types/core-v1.ts";
import type { PodMetrics } from "../../api/types/metrics-v1beta1.ts";
import { type Memory, type Verdict, bound, remembered } from "./bounds.ts";
import type { AutoscalerLaw } from "./law.ts";
import { MetricError, type ResourceAnswer, resourceReplicas } from "./resource-replicas.ts";

export interface View {
  readonly autoscaler: HorizontalPodAutoscaler;
  /** spec.replicas of the target. */
  readonly current: number;
  readonly pods: readonly Pod[];
  readonly metrics: readonly PodMetrics[];
  readonly memory: Memory;
  readonly now: number;
  readonly law: AutoscalerLaw;
}

export interface SaidEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

export interface AutoscalerPlan {
  /** Undefined: the target stays as it is. */
  readonly resize: { readonly replicas: number; readonly reason: string } | undefined;
  readonly status: HorizontalPodAutoscalerStatus;
  readonly events: readonly SaidEvent[];
  readonly memory: Memory;
}

export function planAutoscaler(view: View): AutoscalerPlan {
  const { autoscaler, current } = view;
  const spec = autoscaler.spec ?? { scaleTargetRef: { kind: "", name: "" }, maxReplicas: 1 };
  const min = spec.minReplicas ?? 1;
  const got = condition("AbleToScale", "True", {
    reason: "SucceededGetScale",
    message: "the HPA controller was able to get the target's current scale",
  });
  if (current === 0 && min !== 0)
    return outcome(view, {
      replicas: 0,
      conditions: [got, condition("ScalingActive", "False", off)],
    });
  if (current > spec.maxReplicas)
    return outcome(view, {
      replicas: spec.maxReplicas,
      reason: "Current number of replicas above Spec.MaxReplicas",
      conditions: [got],
    });
  if (current < min)
    return outcome(view, {
      replicas: min,
      reason: "Current number of replicas below Spec.MinReplicas",
      conditions: [got],
    });
  const asked = askMetrics(view);
  if (asked.replicas === undefined)
    return outcome(view, {
      replicas: current,
      conditions: [got, ...asked.conditions],
      events: asked.events,
    });
  return bounded(view, { ...asked, replicas: asked.replicas });
}

const off: Verdict = {
  reason: "ScalingDisabled",
  message: "scaling is disabled since the replica count of the target is zero",
};

/** The target's scale could not be read or written. */
export function planFailure(
  autoscaler: HorizontalPodAutoscaler,
  verdict: Verdict,
  now: number,
): HorizontalPodAutoscalerStatus {
  const { status = { desiredReplicas: 0 } } = autoscaler;
  const failed = [condition("AbleToScale", "False", verdict)];
  return { ...status, conditions: mergeConditions(autoscaler, failed, now) };
}

interface Asked {
  readonly replicas: number | undefined;
  /** Of the metric that asks for most. */
  readonly metric: string;
  readonly statuses: readonly MetricStatus[];
  readonly conditions: readonly HorizontalPodAutoscalerCondition[];
  readonly events: readonly SaidEvent[];
}

function askMetrics(view: View): Asked {
  const { metrics: specs = [] } = view.autoscaler.spec ?? {};
  const statuses: MetricStatus[] = [];
  const failures: (Verdict & { readonly spec: MetricSpec })[] = [];
  let replicas: number | undefined;
  let metric = "";
  for (const spec of specs) {
    const answer = askMetric(view, spec);
    if ("reason" in answer) failures.push({ spec, ...answer });
    else {
      statuses.push(answer.status);
      if (replicas !== undefined && answer.replicas <= replicas) continue;
      ({ replicas, metric } = answer);
    }
  }
  const [first] = failures;
  const events = failures.map(({ reason, message }) => warning(reason, message));
  // Fewer pods are not asked for while a metric is unknown.
  const partly = first !== undefined && (replicas ?? 0) <= view.current;
  if (first !== undefined && (replicas === undefined || partly)) {
    const why = `invalid metrics (${failures.length} invalid out of ${specs.length}), first error is: failed to get ${valueOf(first.spec)}: ${first.message}`;
    const verdict = {
      reason: first.reason,
      message: `the HPA was unable to compute the replica count: ${first.message}`,
    };
    return {
      replicas: undefined,
      metric,
      statuses,
      conditions: [condition("ScalingActive", "False", verdict)],
      events: [...events, warning("FailedComputeMetricsReplicas", why)],
    };
  }
  const found = {
    reason: "ValidMetricFound",
    message: `the HPA was able to successfully calculate a replica count from ${metric}`,
  };
  const conditions = [condition("ScalingActive", "True", found)];
  return { replicas, metric, statuses, conditions, events };
}

interface MetricAnswer {
  readonly replicas: number;
  readonly metric: string;
  readonly status: MetricStatus;
}

function askMetric(view: View, spec: MetricSpec): MetricAnswer | Verdict {
  const source = spec.type === "Resource" ? spec.resource : spec.containerResource;
  if (source === undefined) return notServed(spec);
  const { name: resource, target } = source;
  const container = spec.type === "Resource" ? "" : (spec.containerResource?.container ?? "");
  try {
    const answer = resourceReplicas({
      ...view,
      resource,
      container,
      target: targetOf(resource, target),
    });
    const current = currentOf(resource, answer);
    const status: MetricStatus =
      spec.type === "Resource"
        ? { type: spec.type, resource: { name: resource, current } }
        : { type: spec.type, containerResource: { name: resource, container, current } };
    return { replicas: answer.replicas, metric: nameOf(resource, container, answer), status };
  } catch (error) {
    if (!(error instanceof MetricError)) throw error;
    const what = target.averageUtilization === undefined ? "usage" : "utilization";
    const message = `failed to get ${resource} ${what}: ${error.message}`;
    return { reason: `FailedGet${spec.type}Metric`, message };
  }
}

/** What was asked for, as the errors call it. */
function valueOf({ type, resource, containerResource, external }: MetricSpec): string {
  if (type === "Resource") return `${resource?.name} resource metric value`;
  if (type === "ContainerResource") return `${containerResource?.container} container metric value`;
  if (type === "External") return `${external?.metric.name} external metric value`;
  return `${type.toLowerCase()} metric value`;
}

/** There is no server of custom or external metrics here. */
function notServed({ type }: MetricSpec): Verdict {
  const api = type === "External" ? "external" : "custom";
  const message = `unable to get ${type.toLowerCase()} metric: unable to fetch metrics from ${api} metrics API: no ${api} metrics API (${api}.metrics.k8s.io) registered`;
  return { reason: `FailedGet${type}Metric`, message };
}

function targetOf(
  resource: string,
  { averageUtilization, averageValue }: MetricTarget,
): { readonly utilization: number } | { readonly average: number } {
  if (averageUtilization !== undefined) return { utilization: averageUtilization };
  if (averageValue !== undefined) return { average: amountOf(resource, averageValue) };
  throw new MetricError("neither a utilization target nor a value target was set");
}

function currentOf(
  resource: string,
  { average, utilization }: ResourceAnswer,
): { averageValue: string; averageUtilization?: number } {
  const averageValue = resource === "cpu" ? `${average}m` : String(average);
  return utilization === undefined
    ? { averageValue }
    : { averageValue, averageUtilization: utilization };
}

function nameOf(resource: string, container: string, { utilization }: ResourceAnswer): string {
  const kind = container === "" ? "resource" : "container resource";
  return utilization === undefined
    ? `${resource} ${kind}`
    : `${resource} ${kind} utilization (percentage of request)`;
}

function bounded(view: View, asked: Asked & { readonly replicas: number }): AutoscalerPlan {
  const { autoscaler, current, now, law } = view;
  const wanted = asked.replicas;
  const before = remembered(view.memory, now);
  const memory: Memory = {
    ...before,
    recommendations: [...before.recommendations, { at: now, replicas: wanted }],
  };
  const spec = autoscaler.spec ?? { scaleTargetRef: { kind: "", name: "" }, maxReplicas: 1 };
  const { replicas, stabilized, limited } = bound({ spec, current, wanted, memory, now, law });
  const within = {
    reason: "DesiredWithinRange",
    message: "the desired count is within the acceptable range",
  };
  return outcome(
    { ...view, memory },
    {
      replicas,
      reason: wanted > current ? `${asked.metric} above target` : "All metrics below target",
      statuses: asked.statuses,
      conditions: [
        condition("AbleToScale", "True", stabilized),
        ...asked.conditions,
        condition("ScalingLimited", limited === undefined ? "False" : "True", limited ?? within),
      ],
      events: asked.events,
    },
  );
}

interface Decision {
  readonly replicas: number;
  readonly reason?: string;
  readonly statuses?: readonly MetricStatus[];
  readonly conditions: readonly HorizontalPodAutoscalerCondition[];
  readonly events?: readonly SaidEvent[];
}

function outcome(view: View, decision: Decision): AutoscalerPlan {
  const { autoscaler, current, now, memory } = view;
  const { replicas, reason = "", statuses, conditions, events = [] } = decision;
  const { metadata, status } = autoscaler;
  const resizes = replicas !== current;
  const done = condition("AbleToScale", "True", {
    reason: "SucceededRescale",
    message: `the HPA controller was able to update the target scale to ${replicas}`,
  });
  const lastScaleTime = resizes ? timeOf(now) : status?.lastScaleTime;
  const generation = metadata.generation;
  return {
    resize: resizes ? { replicas, reason } : undefined,
    status: {
      ...(generation === undefined ? {} : { observedGeneration: generation }),
      ...(lastScaleTime == null ? {} : { lastScaleTime }),
      currentReplicas: current,
      desiredReplicas: replicas,
      ...(statuses === undefined || statuses.length === 0 ? {} : { currentMetrics: [...statuses] }),
      conditions: mergeConditions(autoscaler, resizes ? [...conditions, done] : conditions, now),
    },
    events: resizes
      ? [
          ...events,
          {
            type: "Normal",
            reason: "SuccessfulRescale",
            message: `New size: ${replicas}; reason: ${reason}`,
          },
        ]
      : events,
    memory: resizes
      ? { ...memory, changes: [...memory.changes, { at: now, by: replicas - current }] }
      : memory,
  };
}

function condition(
  type: string,
  status: "True" | "False",
  { reason, message }: Verdict,
): HorizontalPodAutoscalerCondition {
  return { type, status, reason, message };
}

/** Those that are not spoken of stay; a time changes only with the status. */
function mergeConditions(
  { status }: HorizontalPodAutoscaler,
  said: readonly HorizontalPodAutoscalerCondition[],
  now: number,
): HorizontalPodAutoscalerCondition[] {
  const merged = new Map((status?.conditions ?? []).map((one) => [one.type, one] as const));
  for (const one of said) {
    const known = merged.get(one.type);
    const since = known?.status === one.status ? known.lastTransitionTime : undefined;
    merged.set(one.type, { ...one, lastTransitionTime: since ?? timeOf(now) });
  }
  return [...merged.values()];
}

function warning(reason: string, message: string): SaidEvent {
  return { type: "Warning", reason, message };
}

function timeOf(ms: number): string | null {
  return formatTime({ seconds: Math.floor(ms / 1_000), nanos: 0 });
}
