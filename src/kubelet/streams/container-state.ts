// Which run of a container its logs are of, or why there are none, as the kubelet words it
// (upstream: kubelet_pods.go validateContainerLogStatus). Pure.
import { parseTime } from "../../api/codec/time.ts";
import { badRequest } from "../../api/meta/errors.ts";
import type {
  Container,
  ContainerStateTerminated,
  ContainerStatus,
  Pod,
} from "../../api/types/core-v1.ts";

export interface Run {
  readonly startedAt: number;
  /** Undefined: it runs. */
  readonly endedAt: number | undefined;
}

export function findContainer({ spec }: Pod, name: string): Container | undefined {
  const { containers = [], initContainers = [], ephemeralContainers = [] } = spec ?? {};
  return [...containers, ...initContainers, ...ephemeralContainers].find(
    (one) => one.name === name,
  );
}

export function statusOf({ status = {} }: Pod, name: string): ContainerStatus | undefined {
  const {
    containerStatuses = [],
    initContainerStatuses = [],
    ephemeralContainerStatuses = [],
  } = status;
  return [...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses].find(
    (one) => one.name === name,
  );
}

/** Throws 400. */
export function runToRead(pod: Pod, name: string, previous: boolean): Run {
  const which = `container "${name}" in pod "${pod.metadata.name ?? ""}"`;
  const status = statusOf(pod, name);
  if (status === undefined) throw badRequest(`${which} is not available`);
  const { state = {}, lastState = {} } = status;
  const last = lastState.terminated;
  if (previous) {
    if (last === undefined || (last.containerID ?? "") === "")
      throw badRequest(`previous terminated ${which} not found`);
    return runOf(last);
  }
  if (state.running !== undefined)
    return { startedAt: timeOf(state.running.startedAt), endedAt: undefined };
  const ended = [state.terminated, last].find((one) => (one?.containerID ?? "") !== "");
  if (ended !== undefined) return runOf(ended);
  if (state.terminated !== undefined || last !== undefined)
    throw badRequest(`${which} is terminated`);
  throw badRequest(`${which} is waiting to start${whyWaiting(state.waiting?.reason)}`);
}

function whyWaiting(reason: string | undefined): string {
  if (reason === undefined) return " - no logs yet";
  if (reason === "ErrImagePull") return ": image can't be pulled";
  if (reason === "ImagePullBackOff") return ": trying and failing to pull image";
  return `: ${reason}`;
}

/** Statuses tell whole seconds: what was written in the last of them belongs to the run. */
function runOf({ startedAt, finishedAt }: ContainerStateTerminated): Run {
  return { startedAt: timeOf(startedAt), endedAt: timeOf(finishedAt) + 999 };
}

/** Wall clock ms; 0 for none. */
export function timeOf(text: string | null | undefined): number {
  return typeof text === "string" ? parseTime(text).seconds * 1_000 : 0;
}
