// How quickly the autoscaler reacts, as kube-controller-manager's flags have it. Data only.
export interface AutoscalerLaw {
  /** --horizontal-pod-autoscaler-sync-period */
  readonly periodMs: number;
  /** --horizontal-pod-autoscaler-tolerance */
  readonly tolerance: number;
  /** --horizontal-pod-autoscaler-downscale-stabilization */
  readonly downscaleWindowMs: number;
  /** --horizontal-pod-autoscaler-cpu-initialization-period */
  readonly cpuInitializationMs: number;
  /** --horizontal-pod-autoscaler-initial-readiness-delay */
  readonly readinessDelayMs: number;
}

export const autoscalerLaw: AutoscalerLaw = {
  periodMs: 15_000,
  tolerance: 0.1,
  downscaleWindowMs: 300_000,
  cpuInitializationMs: 300_000,
  readinessDelayMs: 30_000,
};
