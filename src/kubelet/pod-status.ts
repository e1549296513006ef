// What a node tells of a pod: phase, conditions, container statuses, addresses, as `kubectl get` and controllers read them
// (upstream: kubelet_pods.go getPhase and convertStatusToAPIStatus, status/generate.go).
import { formatTime } from "../api/codec/time.ts";
import type {
  ContainerState,
  ContainerStatus,
  Pod,
  PodCondition,
  PodStatus,
} from "../api/types/core-v1.ts";
import type { PodPart } from "./pod-part.ts";
import {
  type ContainerRuntime,
  type ContainerStage,
  type Ended,
  type PodRuntime,
  containerOf,
} from "./pod-runtime.ts";
import { podText } from "./container-step.ts";
import { formatSpan } from "./span.ts";

export interface Addresses {
  readonly hostIP: string;
  /** The pod's own; that of the host for pods on the host's network. */
  readonly podIP: string;
}

export interface StatusGround {
  readonly now: number;
  readonly addresses: Addresses;
  /** The pod's containers. */
  readonly parts: readonly PodPart[];
}

/** The whole status except what others own in it (their conditions stay). */
export function podStatusOf(
  pod: Pod,
  runtime: PodRuntime,
  { now, addresses, parts }: StatusGround,
): PodStatus {
  const statuses = parts.map((part) => statusOf(pod, part, { runtime, now, parts }));
  const inits = statuses.filter((_, index) => parts[index]!.kind !== "main");
  const mains = statuses.filter((_, index) => parts[index]!.kind === "main");
  const phase = phaseOf(pod, runtime, parts);
  const { hostIP, podIP } = addresses;
  const { metadata } = pod;
  return {
    phase,
    ...(metadata.generation === undefined ? {} : { observedGeneration: metadata.generation }),
    ...runtime.failed,
    conditions: conditionsOf(pod, { parts, statuses, phase, runtime, now }),
    hostIP,
    hostIPs: [{ ip: hostIP }],
    ...(runtime.networked ? { podIP, podIPs: [{ ip: podIP }] } : {}),
    startTime: timeText(runtime.startedAt),
    ...(inits.length === 0 ? {} : { initContainerStatuses: inits }),
    containerStatuses: mains,
  };
}

/** Of every image: nothing is really pulled. */
const imageDigest = "0".repeat(64);

/* ---- containers ---- */

function statusOf(
  pod: Pod,
  part: PodPart,
  seen: { readonly runtime: PodRuntime; readonly now: number; readonly parts: readonly PodPart[] },
): ContainerStatus {
  const { container, kind } = part;
  const own = containerOf(seen.runtime, container.name);
  const { stage } = own;
  const started = stage.is === "running" && stage.probes?.startup === undefined;
  const image = container.image ?? "";
  const last = showsEnd(own) ? own.endedBefore : own.ended;
  return {
    name: container.name,
    state: stateOf(pod, part, { own, ...seen }),
    lastState: last === undefined ? {} : { terminated: terminated(last) },
    ready: isReady(kind, own, seen.now),
    restartCount: own.restarts - (isBeforeCreated(stage) && own.restarts > 0 ? 1 : 0),
    image: own.imagePresent ? imageName(image) : image,
    imageID: own.imagePresent ? imageName(image).replace(/:[^/:]*$/, `@sha256:${imageDigest}`) : "",
    ...(own.id === "" ? {} : { containerID: own.id }),
    started,
  };
}

/** A container that ended is seen so until its next run begins. */
function showsEnd({ stage, ended }: ContainerRuntime): boolean {
  if (stage.is === "ended") return true;
  return ended !== undefined && (stage.is === "starting" || isComing(stage));
}

/** Its next run has not begun, and nothing keeps it from beginning. */
function isComing({ is }: ContainerStage): boolean {
  return is === "pulling" || is === "configuring";
}

function isBeforeCreated(stage: ContainerStage): boolean {
  return isComing(stage) || stage.is === "misconfigured";
}

function isReady(kind: PodPart["kind"], { stage, ended }: ContainerRuntime, now: number): boolean {
  if (kind === "init") return stage.is === "ended" && ended?.exitCode === 0;
  if (stage.is !== "running" || stage.probes?.startup !== undefined) return false;
  return stage.readyAt !== undefined && stage.readyAt <= now;
}

function stateOf(
  pod: Pod,
  { container, kind }: PodPart,
  seen: {
    readonly own: ContainerRuntime;
    readonly runtime: PodRuntime;
    readonly parts: readonly PodPart[];
  },
): ContainerState {
  const { own, runtime, parts } = seen;
  const { stage } = own;
  if (showsEnd(own)) return own.ended === undefined ? {} : { terminated: terminated(own.ended) };
  switch (stage.is) {
    case "running":
      return { running: { startedAt: timeText(stage.startedAt) } };
    case "backing off": {
      const which = `${container.name} pod=${podText(pod)}`;
      const message = `back-off ${formatSpan(stage.delayMs)} restarting failed container=${which}`;
      return { waiting: { reason: "CrashLoopBackOff", message } };
    }
    case "misconfigured":
      return { waiting: { reason: "CreateContainerConfigError", message: stage.message } };
    case "unpullable":
      return { waiting: { reason: stage.reason, message: stage.message } };
    default: {
      const hasInits = parts.some((part) => part.kind !== "main");
      const initializing = hasInits && (kind !== "main" || !isInitialized(runtime, parts));
      return { waiting: { reason: initializing ? "PodInitializing" : "ContainerCreating" } };
    }
  }
}

function terminated(ended: Ended): NonNullable<ContainerState["terminated"]> {
  const { exitCode, reason, message, startedAt, endedAt, id } = ended;
  return {
    exitCode,
    reason,
    ...(message === undefined ? {} : { message }),
    startedAt: startedAt === undefined ? null : timeText(startedAt),
    finishedAt: timeText(endedAt),
    containerID: id,
  };
}

/** `nginx` -> `docker.io/library/nginx:latest`, as containerd names it. */
function imageName(image: string): string {
  const [first = "", ...rest] = image.split("/");
  const hasRegistry = rest.length > 0 && /[.:]|^localhost$/.test(first);
  const path = hasRegistry ? image : `docker.io/${rest.length === 0 ? "library/" : ""}${image}`;
  return /[:@][^/]*$/.test(path) ? path : `${path}:latest`;
}

/* ---- phase ---- */

export function phaseOf(pod: Pod, runtime: PodRuntime, parts: readonly PodPart[]): string {
  if (runtime.failed !== undefined && !anyRunning(runtime, parts)) return "Failed";
  const over = runtime.stopping && !anyRunning(runtime, parts);
  const policy = pod.spec?.restartPolicy ?? "Always";
  if (!over && !isInitialized(runtime, parts)) {
    const dead = parts.some(({ container, kind }) => {
      const { stage, ended } = containerOf(runtime, container.name);
      return kind === "init" && stage.is === "ended" && ended?.exitCode !== 0;
    });
    return dead && policy === "Never" ? "Failed" : "Pending";
  }
  const mains = parts.filter(({ kind }) => kind === "main");
  const tally = mains.map(({ container }) => tallyOf(containerOf(runtime, container.name)));
  if (over) return tally.every((one) => one === "succeeded") ? "Succeeded" : "Failed";
  if (tally.includes("waiting")) return "Pending";
  if (tally.includes("running")) return "Running";
  if (policy === "Always") return "Running";
  if (tally.every((one) => one === "succeeded")) return "Succeeded";
  return policy === "Never" ? "Failed" : "Running";
}

function anyRunning(runtime: PodRuntime, parts: readonly PodPart[]): boolean {
  return parts.some(({ container }) => containerOf(runtime, container.name).stage.is === "running");
}

/** A container that waits to be restarted counts as it ended. */
function tallyOf({
  stage,
  ended,
}: ContainerRuntime): "waiting" | "running" | "succeeded" | "failed" {
  if (stage.is === "running") return "running";
  if (ended === undefined) return "waiting";
  return ended.exitCode === 0 ? "succeeded" : "failed";
}

function isInitialized(runtime: PodRuntime, parts: readonly PodPart[]): boolean {
  return incomplete(runtime, parts).length === 0;
}

function incomplete(runtime: PodRuntime, parts: readonly PodPart[]): string[] {
  const open = parts.filter(({ container, kind }) => {
    const { stage, ended } = containerOf(runtime, container.name);
    if (kind === "main") return false;
    // A sidecar was started once; later ends of it do not undo the initialization.
    if (kind === "sidecar") return stage.is !== "running" && ended === undefined;
    return stage.is !== "ended" || ended?.exitCode !== 0;
  });
  return open.map(({ container }) => container.name);
}

/* ---- conditions ---- */

interface Seen {
  readonly parts: readonly PodPart[];
  readonly statuses: readonly ContainerStatus[];
  readonly phase: string;
  readonly runtime: PodRuntime;
  readonly now: number;
}

type Claim = Pick<PodCondition, "type" | "status" | "reason" | "message">;

function conditionsOf(pod: Pod, seen: Seen): PodCondition[] {
  const { runtime, now } = seen;
  const ready = readiness(pod, seen);
  const claims: Claim[] = [
    claim("PodReadyToStartContainers", isSandboxed(seen)),
    initialization(seen),
    { type: "Ready", ...gated(pod, ready) },
    { type: "ContainersReady", ...ready },
    claim("PodScheduled", true),
  ];
  return claims.map((one) => conditionOf(pod, one, { startedAt: runtime.startedAt, now }));
}

function conditionOf(
  { metadata, status: told }: Pod,
  { type, status, reason, message }: Claim,
  { startedAt, now }: { readonly startedAt: number; readonly now: number },
): PodCondition {
  const before = told?.conditions?.find((one) => one.type === type);
  const since = timeText(type === "PodScheduled" ? startedAt : now);
  const { generation } = metadata;
  return {
    type,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    status,
    lastProbeTime: null,
    lastTransitionTime: before?.status === status ? (before.lastTransitionTime ?? since) : since,
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message }),
  };
}

function claim(type: string, holds: boolean): Claim {
  return { type, status: holds ? "True" : "False" };
}

/** The sandbox goes when nothing runs in it any more. */
function isSandboxed({ runtime, phase }: Seen): boolean {
  return runtime.networked && phase !== "Succeeded" && phase !== "Failed";
}

function initialization({ runtime, parts, phase }: Seen): Claim {
  const open = incomplete(runtime, parts);
  if (open.length === 0)
    return phase === "Succeeded"
      ? { type: "Initialized", status: "True", reason: "PodCompleted" }
      : claim("Initialized", true);
  const message = `containers with incomplete status: [${open.join(" ")}]`;
  return { type: "Initialized", status: "False", reason: "ContainersNotInitialized", message };
}

function readiness(_pod: Pod, seen: Seen): Omit<Claim, "type"> {
  const { parts, statuses, phase } = seen;
  if (phase === "Succeeded") return { status: "False", reason: "PodCompleted" };
  if (phase === "Failed") return { status: "False", reason: "PodFailed" };
  const unready = statuses
    .filter((status, index) => parts[index]!.kind !== "init" && !status.ready)
    .map(({ name }) => name);
  if (unready.length === 0) return { status: "True" };
  const message = `containers with unready status: [${unready.join(" ")}]`;
  return { status: "False", reason: "ContainersNotReady", message };
}

/** Readiness gates are conditions that others set. */
function gated(pod: Pod, ready: Omit<Claim, "type">): Omit<Claim, "type"> {
  if (ready.status !== "True") return ready;
  const conditions = pod.status?.conditions ?? [];
  const open = (pod.spec?.readinessGates ?? [])
    .map(({ conditionType }) => conditionType)
    .filter((type) => conditions.find((one) => one.type === type)?.status !== "True");
  if (open.length === 0) return ready;
  const messages = open.map((type) =>
    conditions.some((one) => one.type === type)
      ? `the status of pod readiness gate "${type}" is not "True", but ${conditions.find((one) => one.type === type)?.status}`
      : `corresponding condition of pod readiness gate "${type}" does not exist.`,
  );
  const message = messages.length === 1 ? messages[0]! : `[${messages.join(", ")}]`;
  return { status: "False", reason: "ReadinessGatesNotReady", message };
}

function timeText(ms: number): string | null {
  return formatTime({ seconds: Math.floor(ms / 1_000), nanos: 0 });
}
