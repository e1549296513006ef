// How far a pod has come, as the breaker sees it: it waits, it ran at some time, or it ended without having run. Pure.
import type {
  ContainerStateTerminated,
  ContainerStatus,
  PodStatus,
} from "../../api/types/core-v1.ts";

export type PodCourse = "Waiting" | "Ran" | "Ended";

/** `undefined`: it ended, and only its container statuses tell whether it ever ran. */
export function courseByPhase(phase: string, isGoing: boolean): PodCourse | undefined {
  if (phase === "Running" || phase === "Succeeded") return "Ran";
  return isGoing || phase === "Failed" ? undefined : "Waiting";
}

/** For pods that ended: a kubelet's refusal (OutOfcpu, NodeAffinity) is Failed too, and no container ever started. */
export function courseAtEnd(status: PodStatus | undefined): PodCourse {
  const { conditions, containerStatuses, initContainerStatuses } = status ?? {};
  const isReady = conditions?.some((one) => one.type === "Ready" && one.status === "True");
  const started = [...(containerStatuses ?? []), ...(initContainerStatuses ?? [])].some(
    everStarted,
  );
  return started || isReady === true ? "Ran" : "Ended";
}

function everStarted({ state, lastState, restartCount }: ContainerStatus): boolean {
  return (
    (restartCount ?? 0) > 0 ||
    state?.running !== undefined ||
    hasRun(state?.terminated) ||
    hasRun(lastState?.terminated)
  );
}

/** A kubelet that knows nothing of a container says terminated (ContainerStatusUnknown), without times. */
function hasRun(terminated: ContainerStateTerminated | undefined): boolean {
  return (terminated?.startedAt ?? terminated?.finishedAt ?? undefined) !== undefined;
}
