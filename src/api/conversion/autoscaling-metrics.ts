// One metric of an autoscaler in the words of autoscaling/v1 (as its annotations hold it) and of autoscaling/v2.
import type {
  MetricSpec as MetricSpecV1,
  MetricStatus as MetricStatusV1,
} from "../types/autoscaling-v1.ts";
import type {
  MetricIdentifier,
  MetricSpec,
  MetricStatus,
  MetricTarget,
  MetricValueStatus,
} from "../types/autoscaling-v2.ts";
import type { LabelSelector } from "../types/meta-v1.ts";

// The annotations come from users: every member may be missing, whatever the types promise.
type Loose = Record<string, unknown>;

export function metricSpecToV1(metric: MetricSpec): MetricSpecV1 {
  const { object, pods, resource, containerResource, external } = metric;
  const spec = {
    type: metric.type,
    object: object && {
      target: object.describedObject,
      metricName: object.metric.name,
      targetValue: object.target.value ?? "0",
      selector: object.metric.selector,
      averageValue: object.target.averageValue,
    },
    pods: pods && {
      metricName: pods.metric.name,
      targetAverageValue: pods.target.averageValue ?? "0",
      selector: pods.metric.selector,
    },
    resource: resource && resourceSpec(resource),
    containerResource: containerResource && {
      ...resourceSpec(containerResource),
      container: containerResource.container,
    },
    external: external && {
      metricName: external.metric.name,
      metricSelector: external.metric.selector,
      targetValue: external.target.value,
      targetAverageValue: external.target.averageValue,
    },
  };
  return pruned(spec) as unknown as MetricSpecV1;
}

function resourceSpec({ name, target }: { name: string; target: MetricTarget }): Loose {
  return {
    name,
    targetAverageUtilization: target.averageUtilization,
    targetAverageValue: target.averageValue,
  };
}

export function metricSpecFromV1(metric: MetricSpecV1): MetricSpec {
  const { object, pods, resource, containerResource, external } = metric;
  const spec = {
    type: metric.type,
    object: object && {
      describedObject: object.target,
      target: {
        type: object.averageValue === undefined ? "Value" : "AverageValue",
        value: object.targetValue,
        averageValue: object.averageValue,
      },
      metric: identifier(object.metricName, object.selector),
    },
    pods: pods && {
      metric: identifier(pods.metricName, pods.selector),
      target: { type: "AverageValue", averageValue: pods.targetAverageValue },
    },
    resource: resource && { name: resource.name, target: resourceTarget(resource) },
    containerResource: containerResource && {
      name: containerResource.name,
      target: resourceTarget(containerResource),
      container: containerResource.container,
    },
    external: external && {
      metric: identifier(external.metricName, external.metricSelector),
      target: {
        type: external.targetValue === undefined ? "AverageValue" : "Value",
        value: external.targetValue,
        averageValue: external.targetAverageValue,
      },
    },
  };
  return pruned(spec) as unknown as MetricSpec;
}

function resourceTarget(from: {
  targetAverageUtilization?: number;
  targetAverageValue?: string;
}): Loose {
  return {
    type: from.targetAverageUtilization === undefined ? "AverageValue" : "Utilization",
    averageValue: from.targetAverageValue,
    averageUtilization: from.targetAverageUtilization,
  };
}

export function metricStatusToV1(metric: MetricStatus): MetricStatusV1 {
  const { object, pods, resource, containerResource, external } = metric;
  const status = {
    type: metric.type,
    object: object && {
      target: object.describedObject,
      metricName: object.metric.name,
      currentValue: object.current.value ?? "0",
      selector: object.metric.selector,
      averageValue: object.current.averageValue,
    },
    pods: pods && {
      metricName: pods.metric.name,
      currentAverageValue: pods.current.averageValue ?? "0",
      selector: pods.metric.selector,
    },
    resource: resource && resourceStatus(resource),
    containerResource: containerResource && {
      ...resourceStatus(containerResource),
      container: containerResource.container,
    },
    external: external && {
      metricName: external.metric.name,
      metricSelector: external.metric.selector,
      currentValue: external.current.value ?? "0",
      currentAverageValue: external.current.averageValue,
    },
  };
  return pruned(status) as unknown as MetricStatusV1;
}

function resourceStatus({ name, current }: { name: string; current: MetricValueStatus }): Loose {
  return {
    name,
    currentAverageUtilization: current.averageUtilization,
    currentAverageValue: current.averageValue ?? "0",
  };
}

export function metricStatusFromV1(metric: MetricStatusV1): MetricStatus {
  const { object, pods, resource, containerResource, external } = metric;
  const status = {
    type: metric.type,
    object: object && {
      metric: identifier(object.metricName, object.selector),
      current: { value: object.currentValue, averageValue: object.averageValue },
      describedObject: object.target,
    },
    pods: pods && {
      metric: identifier(pods.metricName, pods.selector),
      current: { averageValue: pods.currentAverageValue },
    },
    resource: resource && { name: resource.name, current: resourceCurrent(resource) },
    containerResource: containerResource && {
      name: containerResource.name,
      current: resourceCurrent(containerResource),
      container: containerResource.container,
    },
    external: external && {
      metric: identifier(external.metricName, external.metricSelector),
      current: { value: external.currentValue, averageValue: external.currentAverageValue },
    },
  };
  return pruned(status) as unknown as MetricStatus;
}

function resourceCurrent(from: {
  currentAverageUtilization?: number;
  currentAverageValue: string;
}): Loose {
  return {
    averageValue: from.currentAverageValue,
    averageUtilization: from.currentAverageUtilization,
  };
}

function identifier(name: string, selector: LabelSelector | undefined): MetricIdentifier {
  return selector === undefined ? { name } : { name, selector };
}

/** Without undefined members, at any depth. */
function pruned(value: Loose): Loose {
  const kept: Loose = {};
  for (const [key, inner] of Object.entries(value)) {
    if (inner === undefined) continue;
    const plain = typeof inner === "object" && inner !== null && !Array.isArray(inner);
    kept[key] = plain ? pruned(inner as Loose) : inner;
  }
  return kept;
}
