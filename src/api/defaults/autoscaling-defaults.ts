// Defaults of HorizontalPodAutoscaler, both versions (upstream: pkg/apis/autoscaling/v2/defaults.go).
import type { HorizontalPodAutoscaler as AutoscalerV1 } from "../types/autoscaling-v1.ts";
import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerBehavior,
} from "../types/autoscaling-v2.ts";
import { metricsAnnotation } from "../conversion/horizontal-pod-autoscaler.ts";

const cpuUtilizationPercent = 80;

export function defaultHorizontalPodAutoscaler(autoscaler: HorizontalPodAutoscaler): void {
  const spec = (autoscaler.spec ??= { scaleTargetRef: { kind: "", name: "" }, maxReplicas: 0 });
  spec.minReplicas ??= 1;
  if ((spec.metrics ?? []).length === 0) {
    const target = { type: "Utilization", averageUtilization: cpuUtilizationPercent };
    spec.metrics = [{ type: "Resource", resource: { name: "cpu", target } }];
  }
  if (spec.behavior) defaultBehavior(spec.behavior);
}

/** v1 shows the CPU target that v2 defaults; other metrics ride in an annotation. */
export function defaultHorizontalPodAutoscalerV1(autoscaler: AutoscalerV1): void {
  const spec = (autoscaler.spec ??= { scaleTargetRef: { kind: "", name: "" }, maxReplicas: 0 });
  spec.minReplicas ??= 1;
  if (autoscaler.metadata.annotations?.[metricsAnnotation] === undefined) {
    spec.targetCPUUtilizationPercentage ??= cpuUtilizationPercent;
  }
}

function defaultBehavior(behavior: HorizontalPodAutoscalerBehavior): void {
  const scaleUp = (behavior.scaleUp ??= {});
  scaleUp.stabilizationWindowSeconds ??= 0;
  scaleUp.selectPolicy ??= "Max";
  scaleUp.policies ??= [
    { type: "Pods", value: 4, periodSeconds: 15 },
    { type: "Percent", value: 100, periodSeconds: 15 },
  ];
  const scaleDown = (behavior.scaleDown ??= {});
  scaleDown.selectPolicy ??= "Max";
  scaleDown.policies ??= [{ type: "Percent", value: 100, periodSeconds: 15 }];
}
