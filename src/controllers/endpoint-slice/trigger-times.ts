// When that happened which makes endpoints change now: the earliest change of a pod's readiness, or the making of the
// Service, that was not answered yet. Written into what is written, so that the delay can be measured (upstream:
// staging/src/k8s.io/endpointslice/trigger_time_tracker.go).
import type { Pod, Service } from "../../api/types/core-v1.ts";
import type { Served } from "../../client/served-object.ts";
import { conditionOf } from "../pods/pod-state.ts";
import { msOf } from "../pods/timestamp.ts";

const triggerTimeAnnotation = "endpoints.kubernetes.io/last-change-trigger-time";

interface Answered {
  readonly service: number;
  /** By name. */
  readonly pods: ReadonlyMap<string, number>;
}

export class TriggerTimes {
  /** By the Service's key. */
  readonly #answered = new Map<string, Answered>();

  /** Undefined when nothing with a known time has happened since the last call. */
  next(
    key: string,
    service: Readonly<Served<Service>>,
    pods: readonly Readonly<Served<Pod>>[],
  ): string | undefined {
    const before = this.#answered.get(key);
    const made = msOf(service.metadata.creationTimestamp) ?? 0;
    const times = new Map(pods.map((pod) => [pod.metadata.name, readinessChangedMs(pod)]));
    this.#answered.set(key, { service: made, pods: times });
    const fresh = [...times]
      .filter(([name, time]) => time > (before?.pods.get(name) ?? 0))
      .map(([, time]) => time);
    if (made > (before?.service ?? 0)) fresh.push(made);
    if (fresh.length === 0) return undefined;
    return new Date(Math.min(...fresh)).toISOString().replace(".000Z", "Z");
  }

  forget(key: string): void {
    this.#answered.delete(key);
  }
}

/** The annotations of what is about to be written. */
export function withTriggerTime(
  annotations: Readonly<Record<string, string>> | undefined,
  time: string | undefined,
): Record<string, string> {
  const { [triggerTimeAnnotation]: _, ...others } = annotations ?? {};
  return time === undefined ? others : { ...others, [triggerTimeAnnotation]: time };
}

function readinessChangedMs(pod: Pod): number {
  return msOf(conditionOf(pod, "Ready")?.lastTransitionTime) ?? 0;
}
