// How autoscalers are printed, of autoscaling/v2 and of v1, which knows CPU utilization only.
import type { HorizontalPodAutoscaler as HorizontalPodAutoscalerV1 } from "../../../api/types/autoscaling-v1.ts";
import type {
  CrossVersionObjectReference,
  HorizontalPodAutoscaler,
  MetricSpec,
  MetricStatus,
  MetricTarget,
  MetricValueStatus,
} from "../../../api/types/autoscaling-v2.ts";
import type { ObjectMeta } from "../../../api/types/meta-v1.ts";
import {
  ageColumn,
  type Column,
  nameColumn,
  type Printer,
  printerOver,
  text,
} from "../../table/column.ts";

interface AutoscalerView {
  readonly metadata: ObjectMeta;
  readonly target: CrossVersionObjectReference | undefined;
  readonly metrics: string;
  readonly minReplicas: number | undefined;
  readonly maxReplicas: number;
  readonly replicas: number;
}

const columns: Column<AutoscalerView>[] = [
  nameColumn,
  text("Reference", "Workload it scales", ({ target }) =>
    target ? `${target.kind}/${target.name}` : "",
  ),
  text("Targets", "Current and wanted values of its metrics", ({ metrics }) => metrics),
  text("MinPods", "Fewest pods", ({ minReplicas }) =>
    minReplicas === undefined ? "<unset>" : `${minReplicas}`,
  ),
  text("MaxPods", "Most pods", ({ maxReplicas }) => maxReplicas),
  text("Replicas", "Pods it last saw", ({ replicas }) => replicas),
  ageColumn,
];

export const horizontalPodAutoscalerPrinter: Printer = printerOver<
  HorizontalPodAutoscaler,
  AutoscalerView
>(
  ({ metadata, spec, status }) => ({
    metadata,
    target: spec?.scaleTargetRef,
    metrics: metricsText(spec?.metrics ?? [], status?.currentMetrics ?? []),
    minReplicas: spec?.minReplicas,
    maxReplicas: spec?.maxReplicas ?? 0,
    replicas: status?.currentReplicas ?? 0,
  }),
  columns,
);

export const horizontalPodAutoscalerV1Printer: Printer = printerOver<
  HorizontalPodAutoscalerV1,
  AutoscalerView
>(
  ({ metadata, spec, status }) => ({
    metadata,
    target: spec?.scaleTargetRef,
    metrics: cpuText(spec?.targetCPUUtilizationPercentage, status?.currentCPUUtilizationPercentage),
    minReplicas: spec?.minReplicas,
    maxReplicas: spec?.maxReplicas ?? 0,
    replicas: status?.currentReplicas ?? 0,
  }),
  columns,
);

const unknown = "<unknown>";
const metricsShownMax = 2;

function cpuText(target: number | undefined, current: number | undefined): string {
  return target === undefined ? "<none>" : `cpu: ${percent(current, unknown)}/${target}%`;
}

function metricsText(specs: readonly MetricSpec[], statuses: readonly MetricStatus[]): string {
  if (specs.length === 0) return "<none>";
  const texts = specs.map((spec, index) => metricText(spec, statuses[index]));
  const shown = texts.slice(0, metricsShownMax).join(", ");
  const more = texts.length - metricsShownMax;
  return more > 0 ? `${shown} + ${more} more...` : shown;
}

function metricText(spec: MetricSpec, status: MetricStatus | undefined): string {
  switch (spec.type) {
    case "External":
      return valueText(spec.external?.target, status?.external?.current);
    case "Object":
      return valueText(spec.object?.target, status?.object?.current);
    case "Pods":
      return `${status?.pods?.current?.averageValue ?? unknown}/${spec.pods?.target?.averageValue ?? unknown}`;
    case "Resource":
      return `${spec.resource?.name ?? ""}: ${resourceText(spec.resource?.target, status?.resource?.current)}`;
    case "ContainerResource":
      return `${spec.containerResource?.name ?? ""}: ${resourceText(spec.containerResource?.target, status?.containerResource?.current)}`;
    default:
      return "<unknown type>";
  }
}

function valueText(target?: MetricTarget, current?: MetricValueStatus): string {
  if (target?.averageValue !== undefined)
    return `${current?.averageValue ?? unknown}/${target.averageValue} (avg)`;
  return `${current?.value ?? unknown}/${target?.value ?? unknown}`;
}

function resourceText(target?: MetricTarget, current?: MetricValueStatus): string {
  if (target?.averageValue !== undefined)
    return `${current?.averageValue ?? unknown}/${target.averageValue}`;
  return `${percent(current?.averageUtilization, unknown)}/${percent(target?.averageUtilization, "<auto>")}`;
}

function percent(value: number | undefined, missing: string): string {
  return value === undefined ? missing : `${value}%`;
}
