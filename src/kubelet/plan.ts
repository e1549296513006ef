// What becomes of a pod on its node: given the object, what the node knew and the time, what the node knows next, what it
// says, and when it must look again. Pure; tables in plan.test.ts (upstream: kubelet.go SyncPod, kuberuntime_manager.go
// computePodActions).
import { parseTime } from "../api/codec/time.ts";
import type { Pod } from "../api/types/core-v1.ts";
import { runningStage, stepContainer } from "./container-step.ts";
import type { Saying, Scene } from "./scene.ts";
import { type PodPart, partsOf } from "./pod-part.ts";
import { nextProbe, resumedStates } from "./probe.ts";
import {
  type ContainerRuntime,
  type ContainerStage,
  type PodRuntime,
  containerOf,
  runtimeOfStatus,
} from "./pod-runtime.ts";

export interface PodStep {
  readonly runtime: PodRuntime;
  readonly says: readonly Saying[];
  readonly pulled: readonly string[];
  /** Wall clock; undefined: only when the object changes. */
  readonly wakeAt: number | undefined;
  /** Nothing of it runs and nothing will: if it is being deleted, it may go. */
  readonly over: boolean;
}

export type Ground = Omit<Scene, "pod" | "says" | "pulled">;

const graceSecondsUsual = 30;

export function advancePod(pod: Pod, before: PodRuntime, ground: Ground): PodStep {
  const scene: Scene = { pod, says: [], pulled: [], ...ground };
  const { parts } = scene;
  const due = endings(scene, before);
  const runtime = due.stopping ? stopAll(scene, due, parts) : runAll(scene, due, parts);
  const { says, pulled } = scene;
  const stages = parts.map(({ container }) => containerOf(runtime, container.name).stage);
  return {
    runtime,
    says,
    pulled,
    wakeAt: wakeAt(pod, { runtime, stages }, ground.now),
    over: runtime.stopping && !stages.some(({ is }) => is === "running"),
  };
}

/** As `runtimeOfStatus`, and what runs goes on for as long as it would have. */
export function adoptPod(pod: Pod, now: number): PodRuntime | undefined {
  const told = runtimeOfStatus(pod, now);
  if (told === undefined) return undefined;
  const containers: Record<string, ContainerRuntime> = { ...told.containers };
  for (const part of partsOf(pod)) {
    const runtime = containerOf(told, part.container.name);
    if (runtime.stage.is !== "running") continue;
    const stage = runningStage(part, runtime.stage.startedAt, runtime.restarts);
    containers[part.container.name] = { ...runtime, stage: resumed(part, stage, now) };
  }
  return { ...told, containers };
}

function resumed({ behaviour }: PodPart, stage: ContainerStage, now: number): ContainerStage {
  if (stage.is !== "running" || stage.probes === undefined) return stage;
  return { ...stage, probes: resumedStates(stage.probes, behaviour.probes, now) };
}

/** The node lost power: nothing of the pod runs any more, and its sandbox is gone. */
export function loseContainers(runtime: PodRuntime, now: number): PodRuntime {
  const containers = Object.entries(runtime.containers).map(([name, one]) => {
    if (isOnItsWay(one.stage)) return [name, { ...one, stage: { is: "waiting" } }] as const;
    if (one.stage.is !== "running") return [name, one] as const;
    const { startedAt } = one.stage;
    const ended = { exitCode: 255, reason: "Unknown", startedAt, endedAt: now, id: one.id };
    const stage: ContainerStage = { is: "ended", until: now };
    return [name, { ...one, ended, endedBefore: one.ended, stage, crash: undefined }] as const;
  });
  return { ...runtime, containers: Object.fromEntries(containers), networked: false };
}

function isOnItsWay({ is }: ContainerStage): boolean {
  return is === "pulling" || is === "configuring" || is === "misconfigured" || is === "starting";
}

/** Deletion and deadlines. */
function endings(scene: Scene, before: PodRuntime): PodRuntime {
  const { pod, now } = scene;
  if (typeof pod.metadata.deletionTimestamp === "string") return { ...before, stopping: true };
  const deadline = activeDeadline(pod, before);
  if (before.stopping || deadline === undefined || deadline > now) return before;
  const message = "Pod was active on the node longer than the specified deadline";
  scene.says.push({ type: "Normal", reason: "DeadlineExceeded", message });
  return { ...before, stopping: true, failed: { reason: "DeadlineExceeded", message } };
}

function activeDeadline(pod: Pod, { startedAt }: PodRuntime): number | undefined {
  const seconds = pod.spec?.activeDeadlineSeconds;
  return seconds === undefined ? undefined : startedAt + seconds * 1_000;
}

/* ---- forward ---- */

function runAll(scene: Scene, before: PodRuntime, parts: readonly PodPart[]): PodRuntime {
  if (!scene.mounted) return before;
  const containers: Record<string, ContainerRuntime> = { ...before.containers };
  let open = true;
  for (const part of parts) {
    const { name } = part.container;
    const after = stepContainer(scene, part, containerOf(before, name), open);
    containers[name] = after;
    if (part.kind !== "main") open &&= hasPassed(part, after);
  }
  const runtime = { ...before, containers };
  const networked = before.networked || parts.some((part) => hasSandbox(runtime, part));
  const ended = { ...runtime, networked };
  return isFinished(ended, parts) ? stopSidecars(scene, ended, parts) : ended;
}

/** Whether what comes after this init container or sidecar may start. */
function hasPassed({ kind }: PodPart, { stage, ended }: ContainerRuntime): boolean {
  if (kind === "sidecar") return stage.is === "running" || stage.is === "ended";
  return stage.is === "ended" && ended?.exitCode === 0;
}

function hasSandbox(runtime: PodRuntime, { container }: PodPart): boolean {
  const { is } = containerOf(runtime, container.name).stage;
  return is !== "waiting" && is !== "pulling" && is !== "unpullable" && is !== "backing off";
}

/** Its main containers, or an init container that fails for good, have ended and stay so. */
export function isFinished(runtime: PodRuntime, parts: readonly PodPart[]): boolean {
  const isDone = ({ container }: PodPart): boolean => {
    const { stage } = containerOf(runtime, container.name);
    return stage.is === "ended" && stage.until === undefined;
  };
  const failed = parts.some(
    (part) =>
      part.kind === "init" &&
      isDone(part) &&
      containerOf(runtime, part.container.name).ended?.exitCode !== 0,
  );
  return failed || parts.filter(({ kind }) => kind === "main").every(isDone);
}

function stopSidecars(scene: Scene, before: PodRuntime, parts: readonly PodPart[]): PodRuntime {
  const sidecars = parts.filter(({ kind }) => kind === "sidecar");
  const graceMs = (scene.pod.spec?.terminationGracePeriodSeconds ?? graceSecondsUsual) * 1_000;
  return stopParts(scene, before, { parts: sidecars, deadline: scene.now + graceMs });
}

/* ---- the end ---- */

/** Main containers first; sidecars, in the reverse of their order, when those are gone. */
function stopAll(scene: Scene, before: PodRuntime, parts: readonly PodPart[]): PodRuntime {
  const deadline = stopDeadline(scene);
  const sidecars = parts.filter(({ kind }) => kind === "sidecar").toReversed();
  const first = parts.filter(({ kind }) => kind !== "sidecar");
  let runtime = stopParts(scene, before, { parts: first, deadline });
  for (const part of sidecars) {
    const earlier = [...first, ...sidecars.slice(0, sidecars.indexOf(part))];
    if (earlier.some(({ container }) => isRunning(runtime, container.name))) break;
    runtime = stopParts(scene, runtime, { parts: [part], deadline });
  }
  return runtime;
}

function isRunning(runtime: PodRuntime, name: string): boolean {
  return containerOf(runtime, name).stage.is === "running";
}

function stopDeadline({ pod, now }: Scene): number {
  const { deletionTimestamp, deletionGracePeriodSeconds: grace } = pod.metadata;
  if (typeof deletionTimestamp !== "string") {
    const seconds = pod.spec?.terminationGracePeriodSeconds ?? graceSecondsUsual;
    return now + seconds * 1_000;
  }
  return grace === 0 ? now : Math.max(now, parseTime(deletionTimestamp).seconds * 1_000);
}

function stopParts(
  scene: Scene,
  before: PodRuntime,
  { parts, deadline }: { readonly parts: readonly PodPart[]; readonly deadline: number },
): PodRuntime {
  const containers: Record<string, ContainerRuntime> = { ...before.containers };
  for (const part of parts) {
    const { name } = part.container;
    const told = stopContainer(scene, part, { runtime: containerOf(before, name), deadline });
    containers[name] = stepContainer(scene, part, told, false);
  }
  return { ...before, containers };
}

function stopContainer(
  scene: Scene,
  part: PodPart,
  { runtime, deadline }: { readonly runtime: ContainerRuntime; readonly deadline: number },
): ContainerRuntime {
  const { stage } = runtime;
  if (stage.is === "ended")
    return stage.until === undefined
      ? runtime
      : { ...runtime, stage: { ...stage, until: undefined } };
  if (stage.is !== "running") return { ...runtime, stage: { is: "waiting" } };
  if (stage.stop !== undefined) {
    // A second deletion may leave less time.
    if (stage.stop.at <= deadline) return runtime;
    return { ...runtime, stage: { ...stage, stop: { at: deadline, killed: true } } };
  }
  const { name } = part.container;
  scene.says.push({
    type: "Normal",
    reason: "Killing",
    message: `Stopping container ${name}`,
    fieldPath: part.fieldPath,
  });
  const wishedAt = scene.now + part.behaviour.stopMs;
  const killed = wishedAt > deadline;
  return { ...runtime, stage: { stop: { at: killed ? deadline : wishedAt, killed }, ...stage } };
}

/* ---- time ---- */

function wakeAt(
  pod: Pod,
  { runtime, stages }: { readonly runtime: PodRuntime; readonly stages: readonly ContainerStage[] },
  now: number,
): number | undefined {
  const times = stages.flatMap(timesOf);
  const deadline = activeDeadline(pod, runtime);
  if (deadline !== undefined && !runtime.stopping) times.push(deadline);
  const next = Math.min(...times.filter((time) => time > now));
  return next === Number.POSITIVE_INFINITY ? undefined : next;
}

function timesOf(stage: ContainerStage): number[] {
  if (stage.is === "waiting" || stage.is === "configuring") return [];
  if (stage.is !== "running") return stage.until === undefined ? [] : [stage.until];
  const probeAt = stage.stop === undefined ? nextProbe(stage.probes ?? {})?.at : undefined;
  return [stage.endsAt, stage.readyAt, stage.stop?.at, probeAt].filter(
    (time) => time !== undefined,
  );
}
