// What a node knows of a pod besides the object: which containers run since when, how often they were restarted. Plain
// data; plan.ts makes the next state from it, status.ts tells it to the world. Times are wall clock ms.
import { parseTime } from "../api/codec/time.ts";
import type { ContainerState, ContainerStatus, Pod } from "../api/types/core-v1.ts";
import type { ProbeStates } from "./probe.ts";

export interface Ended {
  readonly exitCode: number;
  /** Completed, Error, OOMKilled, ... */
  readonly reason: string;
  readonly message?: string | undefined;
  readonly startedAt: number | undefined;
  readonly endedAt: number;
  readonly id: string;
}

export type ContainerStage =
  /** Its turn has not come. */
  | { readonly is: "waiting" }
  | { readonly is: "pulling"; readonly until: number }
  /** The image did not come. */
  | {
      readonly is: "unpullable";
      readonly reason: string;
      readonly message: string;
      readonly until: number;
      readonly delayMs: number;
    }
  /** The image is there; what its environment refers to is being looked up. */
  | { readonly is: "configuring" }
  /** That is not all there. */
  | { readonly is: "misconfigured"; readonly message: string; readonly until: number }
  | { readonly is: "starting"; readonly until: number }
  | {
      readonly is: "running";
      readonly startedAt: number;
      /** Exits by itself then. */
      readonly endsAt: number | undefined;
      /** With this code, whatever its behaviour says: whoever typed into it ended it. */
      readonly exitCode?: number;
      /** Undefined: never. */
      readonly readyAt: number | undefined;
      /** Probes that fail at times; absent: none does. */
      readonly probes?: ProbeStates;
      /** SIGTERM was sent: exits then, by itself or killed. `again`: to be started anew. */
      readonly stop?: { readonly at: number; readonly killed: boolean; readonly again?: true };
    }
  | {
      readonly is: "ended";
      /** The kubelet looks at it again; undefined: it stays so. */
      readonly until: number | undefined;
    }
  | { readonly is: "backing off"; readonly until: number; readonly delayMs: number };

export interface ContainerRuntime {
  readonly stage: ContainerStage;
  /** How its last run ended; of a container that is `ended` this is its state, otherwise its last state. */
  readonly ended: Ended | undefined;
  /** The run before that. */
  readonly endedBefore: Ended | undefined;
  readonly restarts: number;
  /** "" until it was created. */
  readonly id: string;
  readonly imagePresent: boolean;
  /** The delay that its next crash waits, and when that was decided. */
  readonly crash: { readonly delayMs: number; readonly at: number } | undefined;
  /** The delay that its next failing pull waits. */
  readonly pullDelayMs: number | undefined;
}

export interface PodRuntime {
  readonly startedAt: number;
  readonly containers: Readonly<Record<string, ContainerRuntime>>;
  /** The sandbox is ready: from then on the pod has an address. */
  readonly networked: boolean;
  /** The pod ends as Failed for this. */
  readonly failed: { readonly reason: string; readonly message: string } | undefined;
  /** Its containers are being stopped. */
  readonly stopping: boolean;
}

export const freshContainer: ContainerRuntime = {
  stage: { is: "waiting" },
  ended: undefined,
  endedBefore: undefined,
  restarts: 0,
  id: "",
  imagePresent: false,
  crash: undefined,
  pullDelayMs: undefined,
};

export function freshRuntime(now: number): PodRuntime {
  return { startedAt: now, containers: {}, networked: false, failed: undefined, stopping: false };
}

export function containerOf(runtime: PodRuntime, name: string): ContainerRuntime {
  return runtime.containers[name] ?? freshContainer;
}

/**
 * As a kubelet knows the pod that looks at its containers every `relistMs`: a run that is shorter is not seen before it has
 * ended. So a container that ends at once goes from ContainerCreating to Completed (upstream: pleg/generic.go).
 */
export function seenRuntime(runtime: PodRuntime, relistMs: number): PodRuntime {
  const containers = Object.entries(runtime.containers).map(([name, one]) => {
    return [name, { ...one, stage: seenStage(one.stage, relistMs) }] as const;
  });
  return { ...runtime, containers: Object.fromEntries(containers) };
}

function seenStage(stage: ContainerStage, relistMs: number): ContainerStage {
  if (stage.is !== "running" || stage.endsAt === undefined) return stage;
  const isShort = stage.endsAt - stage.startedAt < relistMs;
  return isShort ? { is: "starting", until: stage.endsAt } : stage;
}

/**
 * The state that a pod's status tells of, for a node that comes to know the pod half-way: the process was restarted, the
 * containers were not. `endsAt` and `readyAt` are not told; plan.ts settles them (`adoptPod`).
 */
export function runtimeOfStatus(pod: Pod, now: number): PodRuntime | undefined {
  const { status = {} } = pod;
  if (typeof status.startTime !== "string") return undefined;
  const all = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  return {
    startedAt: msOf(status.startTime) ?? now,
    containers: Object.fromEntries(all.map((one) => [one.name, ofStatus(one, now)])),
    networked: (status.podIP ?? "") !== "",
    failed:
      status.phase === "Failed" && (status.reason ?? "") !== ""
        ? { reason: status.reason ?? "", message: status.message ?? "" }
        : undefined,
    stopping: false,
  };
}

function ofStatus(status: ContainerStatus, now: number): ContainerRuntime {
  const { state = {}, lastState = {}, restartCount, containerID = "" } = status;
  const current = endedOf(state);
  return {
    stage: stageOf(state, now),
    ended: current ?? endedOf(lastState),
    endedBefore: current === undefined ? undefined : endedOf(lastState),
    restarts: restartCount,
    id: containerID,
    imagePresent: containerID !== "",
    crash: undefined,
    pullDelayMs: undefined,
  };
}

function stageOf({ running, terminated }: ContainerState, now: number): ContainerStage {
  if (terminated !== undefined) return { is: "ended", until: now };
  if (running === undefined) return { is: "waiting" };
  const startedAt = msOf(running.startedAt) ?? now;
  return { is: "running", startedAt, endsAt: undefined, readyAt: undefined };
}

function endedOf({ terminated }: ContainerState): Ended | undefined {
  if (terminated === undefined) return undefined;
  const { exitCode, reason = "", message, startedAt, finishedAt, containerID = "" } = terminated;
  return {
    exitCode,
    reason,
    message,
    startedAt: msOf(startedAt),
    endedAt: msOf(finishedAt) ?? 0,
    id: containerID,
  };
}

function msOf(text: string | null | undefined): number | undefined {
  return typeof text === "string" ? parseTime(text).seconds * 1_000 : undefined;
}
