// How many pods a resource metric asks for (upstream: podautoscaler/replica_calculator.go). Pods without metrics count
// against a change: as idle when more are asked for, as busy when fewer. Pure.
import { amountOf } from "../../api/pod/amounts.ts";
import { parseTime } from "../../api/codec/time.ts";
import type { Pod } from "../../api/types/core-v1.ts";
import type { PodMetrics } from "../../api/types/metrics-v1beta1.ts";
import type { AutoscalerLaw } from "./law.ts";

export interface ResourceQuestion {
  readonly resource: string;
  /** "": all of the pod. */
  readonly container: string;
  /** Percent of the request, or an amount a pod. */
  readonly target: { readonly utilization: number } | { readonly average: number };
  readonly current: number;
  readonly pods: readonly Pod[];
  readonly metrics: readonly PodMetrics[];
  readonly now: number;
  readonly law: AutoscalerLaw;
}

export interface ResourceAnswer {
  readonly replicas: number;
  readonly utilization: number | undefined;
  /** In the resource's unit, a pod. */
  readonly average: number;
}

/** Why there is no answer, in Kubernetes' words. */
export class MetricError extends Error {
  override readonly name = "MetricError";
}

interface Groups {
  /** What pods use that count. */
  readonly used: ReadonlyMap<string, number>;
  readonly unready: readonly string[];
  readonly missing: readonly string[];
}

export function resourceReplicas(question: ResourceQuestion): ResourceAnswer {
  const { resource, metrics, current, law } = question;
  if (metrics.length === 0)
    throw new MetricError(
      `unable to get metrics for resource ${resource}: no metrics returned from resource metrics API`,
    );
  const groups = groupPods(question);
  if (groups.used.size === 0)
    throw new MetricError("did not receive metrics for targeted pods (pods might be unready)");
  const requests = "utilization" in question.target ? requestsOf(question) : undefined;
  const { ratio, utilization, average } = measure(question, groups.used, requests);
  const unreadyCount = ratio > 1 ? groups.unready.length : 0;
  const found = { utilization, average };
  if (unreadyCount === 0 && groups.missing.length === 0) {
    const steady = Math.abs(1 - ratio) <= law.tolerance;
    return { ...found, replicas: steady ? current : Math.ceil(ratio * groups.used.size) };
  }
  const used = new Map(groups.used);
  for (const name of groups.missing) used.set(name, ratio < 1 ? busy(question, requests, name) : 0);
  if (ratio > 1) for (const name of groups.unready) used.set(name, 0);
  const next = measure(question, used, requests).ratio;
  const turned = (ratio < 1 && next > 1) || (ratio > 1 && next < 1);
  if (Math.abs(1 - next) <= law.tolerance || turned) return { ...found, replicas: current };
  const replicas = Math.ceil(next * used.size);
  const backwards = (next < 1 && replicas > current) || (next > 1 && replicas < current);
  return { ...found, replicas: backwards ? current : replicas };
}

function groupPods({ pods, metrics, resource, container, now, law }: ResourceQuestion): Groups {
  const byName = new Map(metrics.map((one) => [one.metadata.name ?? "", one]));
  const used = new Map<string, number>();
  const unready: string[] = [];
  const missing: string[] = [];
  for (const pod of pods) {
    const { name = "", deletionTimestamp } = pod.metadata;
    if (deletionTimestamp != null || pod.status?.phase === "Failed") continue;
    const metric = byName.get(name);
    if (pod.status?.phase === "Pending") unready.push(name);
    else if (metric === undefined) missing.push(name);
    else if (resource === "cpu" && !countsYet(pod, metric, { now, law })) unready.push(name);
    else used.set(name, usageOf(metric, resource, container));
  }
  return { used, unready, missing };
}

/** While a pod starts, its use of cpu says little. */
function countsYet(
  { status }: Pod,
  metric: PodMetrics,
  { now, law }: { readonly now: number; readonly law: AutoscalerLaw },
): boolean {
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  if (ready === undefined || typeof status?.startTime !== "string") return false;
  const startedAt = msOf(status.startTime);
  const turnedAt = msOf(ready.lastTransitionTime);
  if (startedAt + law.cpuInitializationMs > now)
    return ready.status === "True" && msOf(metric.timestamp) >= turnedAt + windowMs(metric);
  return ready.status === "True" || startedAt + law.readinessDelayMs <= turnedAt;
}

function usageOf({ containers = [] }: PodMetrics, resource: string, container: string): number {
  return containers
    .filter(({ name }) => container === "" || name === container)
    .reduce((sum, { usage = {} }) => sum + amountOf(resource, usage[resource] ?? "0"), 0);
}

/** Of each pod. Throws MetricError when a container has none. */
function requestsOf({ pods, resource, container }: ResourceQuestion): ReadonlyMap<string, number> {
  return new Map(
    pods.map((pod) => {
      const { name: podName = "" } = pod.metadata;
      const asked = (pod.spec?.containers ?? []).filter(
        ({ name }) => container === "" || name === container,
      );
      const sum = asked.reduce((total, { name, resources }) => {
        const request = resources?.requests?.[resource];
        if (request === undefined)
          throw new MetricError(
            `missing request for ${resource} in container ${name} of Pod ${podName}`,
          );
        return total + amountOf(resource, request);
      }, 0);
      return [podName, sum];
    }),
  );
}

interface Measured {
  readonly ratio: number;
  readonly utilization: number | undefined;
  readonly average: number;
}

function measure(
  { target }: ResourceQuestion,
  used: ReadonlyMap<string, number>,
  requests: ReadonlyMap<string, number> | undefined,
): Measured {
  const total = [...used.values()].reduce((sum, one) => sum + one, 0);
  const average = Math.trunc(total / used.size);
  if ("average" in target)
    return { ratio: average / target.average, utilization: undefined, average };
  const asked = [...used.keys()].reduce((sum, name) => sum + (requests?.get(name) ?? 0), 0);
  if (asked === 0) throw new MetricError("no metrics returned matched known pods");
  const utilization = Math.trunc((total * 100) / asked);
  return { ratio: utilization / target.utilization, utilization, average };
}

function busy(
  { target }: ResourceQuestion,
  requests: ReadonlyMap<string, number> | undefined,
  name: string,
): number {
  if ("average" in target) return target.average;
  return ((requests?.get(name) ?? 0) * Math.max(100, target.utilization)) / 100;
}

function msOf(text: string | null | undefined): number {
  return typeof text === "string" ? parseTime(text).seconds * 1_000 : 0;
}

/** Metrics of this server say whole seconds. */
function windowMs({ window }: PodMetrics): number {
  return (Number.parseFloat(window) || 0) * 1_000;
}
