// How pods are printed: what a pod is doing, told in one word, from its containers' statuses (upstream:
// pkg/printers/internalversion printPod).
import type { ContainerStatus, Pod } from "../../../api/types/core-v1.ts";
import {
  ageColumn,
  nameColumn,
  type Printer,
  printerOver,
  type RowCondition,
  text,
  wide,
} from "../../table/column.ts";
import { ageOf } from "../../table/human-duration.ts";

interface PodView {
  readonly pod: Pod;
  readonly metadata: Pod["metadata"];
  readonly status: string;
  readonly ready: number;
  readonly total: number;
  readonly restarts: number;
  /** RFC 3339, of the latest termination that a restart followed. */
  readonly lastRestart: string | undefined;
}

export const podPrinter: Printer = printerOver<Pod, PodView>(
  viewPod,
  [
    nameColumn,
    text("Ready", "Ready containers of all containers", (view) => `${view.ready}/${view.total}`),
    text("Status", "What the pod is doing, in one word", (view) => view.status),
    text("Restarts", "Restarts of the pod's containers, and when the last one was", restartsText),
    ageColumn,
    wide(text("IP", "First address of the pod", ({ pod }) => pod.status?.podIPs?.[0]?.ip || none)),
    wide(text("Node", "Node the pod is bound to", ({ pod }) => pod.spec?.nodeName || none)),
    wide(
      text(
        "Nominated Node",
        "Node kept for the pod while others are preempted there",
        ({ pod }) => pod.status?.nominatedNodeName || none,
      ),
    ),
    wide(text("Readiness Gates", "Readiness gates that are true, of all", readinessGatesText)),
  ],
  { conditions: completedCondition },
);

const none = "<none>";

function restartsText(view: PodView, now: number): string {
  if (view.restarts === 0 || view.lastRestart === undefined) return `${view.restarts}`;
  return `${view.restarts} (${ageOf(view.lastRestart, now)} ago)`;
}

function readinessGatesText({ pod }: PodView): string {
  const gates = pod.spec?.readinessGates ?? [];
  if (gates.length === 0) return none;
  const isTrue = gates.filter(
    ({ conditionType }) => conditionStatus(pod, conditionType) === "True",
  );
  return `${isTrue.length}/${gates.length}`;
}

/** kubectl prints finished pods by this condition's presence. */
function completedCondition(pod: Pod): RowCondition[] | undefined {
  const reason = pod.status?.phase;
  if (reason !== "Succeeded" && reason !== "Failed") return undefined;
  const message =
    reason === "Succeeded" ? "The pod has completed successfully." : "The pod failed.";
  return [{ type: "Completed", status: "True", reason, message }];
}

interface Tally {
  reason: string;
  ready: number;
  restarts: number;
  lastRestart: string | undefined;
}

function viewPod(pod: Pod): PodView {
  const sidecars = (pod.spec?.initContainers ?? []).filter(
    (container) => container.restartPolicy === "Always",
  );
  const sidecarNames = new Set(sidecars.map((container) => container.name));
  const tally: Tally = {
    reason: initialReason(pod),
    ready: 0,
    restarts: 0,
    lastRestart: undefined,
  };
  const sidecarTally = { restarts: 0, lastRestart: undefined };
  const initializing = walkInitContainers(pod, sidecarNames, tally, sidecarTally);
  if (!initializing || conditionStatus(pod, "Initialized") === "True") {
    // The ordinary init containers' restarts no longer matter once the containers run.
    Object.assign(tally, sidecarTally);
    walkContainers(pod, tally);
  }
  return {
    pod,
    metadata: pod.metadata,
    status: deletingReason(pod) ?? tally.reason,
    ready: tally.ready,
    total: (pod.spec?.containers?.length ?? 0) + sidecars.length,
    restarts: tally.restarts,
    lastRestart: tally.lastRestart,
  };
}

function initialReason(pod: Pod): string {
  const { status } = pod;
  const isGated = status?.conditions?.some(
    ({ type, reason }) => type === "PodScheduled" && reason === "SchedulingGated",
  );
  return isGated ? "SchedulingGated" : status?.reason || status?.phase || "";
}

function deletingReason(pod: Pod): string | undefined {
  if (!pod.metadata.deletionTimestamp) return undefined;
  if (pod.status?.reason === "NodeLost") return "Unknown";
  const phase = pod.status?.phase;
  return phase === "Succeeded" || phase === "Failed" ? undefined : "Terminating";
}

function conditionStatus(pod: Pod, type: string): string | undefined {
  return pod.status?.conditions?.find((condition) => condition.type === type)?.status;
}

type Restarts = Pick<Tally, "restarts" | "lastRestart">;

function countRestarts(status: ContainerStatus, tally: Restarts): void {
  tally.restarts += status.restartCount ?? 0;
  const finishedAt = status.lastState?.terminated?.finishedAt;
  if (!finishedAt) return;
  if (tally.lastRestart === undefined || Date.parse(finishedAt) > Date.parse(tally.lastRestart))
    tally.lastRestart = finishedAt;
}

/** True when an init container has not done its part yet; `tally.reason` then names what it is at. */
function walkInitContainers(
  pod: Pod,
  sidecarNames: ReadonlySet<string>,
  tally: Tally,
  sidecarTally: Restarts,
): boolean {
  for (const [index, status] of (pod.status?.initContainerStatuses ?? []).entries()) {
    countRestarts(status, tally);
    const isSidecar = sidecarNames.has(status.name);
    if (isSidecar) countRestarts(status, sidecarTally);
    if (status.state?.terminated?.exitCode === 0) continue;
    if (isSidecar && status.started === true) {
      if (status.ready) tally.ready += 1;
      continue;
    }
    tally.reason = `Init:${initReason(status, index, pod.spec?.initContainers?.length ?? 0)}`;
    return true;
  }
  return false;
}

function initReason({ state }: ContainerStatus, index: number, total: number): string {
  if (state?.terminated) return terminatedReason(state.terminated);
  const waiting = state?.waiting?.reason;
  return waiting && waiting !== "PodInitializing" ? waiting : `${index}/${total}`;
}

function terminatedReason(terminated: {
  reason?: string;
  signal?: number;
  exitCode: number;
}): string {
  if (terminated.reason) return terminated.reason;
  return terminated.signal ? `Signal:${terminated.signal}` : `ExitCode:${terminated.exitCode}`;
}

/** From last to first, so that the first container with something to tell has the last word. */
function walkContainers(pod: Pod, tally: Tally): void {
  let hasRunning = false;
  for (const status of (pod.status?.containerStatuses ?? []).toReversed()) {
    countRestarts(status, tally);
    const { state } = status;
    if (state?.waiting?.reason) tally.reason = state.waiting.reason;
    else if (state?.terminated) tally.reason = terminatedReason(state.terminated);
    else if (status.ready && state?.running) {
      hasRunning = true;
      tally.ready += 1;
    }
  }
  if (tally.reason === "Completed" && hasRunning)
    tally.reason = conditionStatus(pod, "Ready") === "True" ? "Running" : "NotReady";
}
