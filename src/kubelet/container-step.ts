// One container's way: image, start, run, end, back-off, again. `stepContainer` goes as far as it gets by `now`; it says
// what the kubelet would say on the way (upstream: kuberuntime_manager.go, kuberuntime_container.go, image_manager.go).
import type { Pod } from "../api/types/core-v1.ts";
import type { Scene } from "./scene.ts";
import { freshStates } from "./probe.ts";
import { stepProbe } from "./probe-step.ts";
import { formatSpan } from "./span.ts";
import { type PodPart, restarts } from "./pod-part.ts";
import type { ContainerRuntime, ContainerStage, Ended } from "./pod-runtime.ts";

const oomExitCode = 137;
const imageBytes = 70_000_000;

/** `mayStart`: its turn has come. */
export function stepContainer(
  scene: Scene,
  part: PodPart,
  before: ContainerRuntime,
  mayStart: boolean,
): ContainerRuntime {
  let runtime = before;
  for (;;) {
    const next = transition(scene, part, runtime, mayStart);
    if (next === runtime) return runtime;
    runtime = next;
  }
}

/** The same object: nothing happens by `now`. */
function transition(
  scene: Scene,
  part: PodPart,
  runtime: ContainerRuntime,
  mayStart: boolean,
): ContainerRuntime {
  const { stage } = runtime;
  const { now } = scene;
  switch (stage.is) {
    case "waiting":
      return mayStart ? fetchImage(scene, part, runtime) : runtime;
    case "pulling":
      return stage.until <= now ? afterPull(scene, part, runtime) : runtime;
    case "unpullable":
      return stage.until <= now ? pullAgain(scene, part, { runtime, stage }) : runtime;
    case "configuring":
      return configured(scene, part, runtime);
    case "misconfigured":
      return stage.until <= now ? fetchImage(scene, part, runtime) : runtime;
    case "starting":
      return stage.until <= now ? run(scene, part, { runtime, at: stage.until }) : runtime;
    case "running": {
      const probed = stepProbe(scene, part, stage);
      return probed === stage ? endIfDue(scene, part, { runtime, stage }) : at(runtime, probed);
    }
    case "ended":
      return stage.until !== undefined && stage.until <= now
        ? startAgain(scene, part, runtime)
        : runtime;
    default:
      return stage.until <= now
        ? restart(scene, part, { runtime, delayMs: stage.delayMs })
        : runtime;
  }
}

/* ---- the image ---- */

function fetchImage(scene: Scene, part: PodPart, runtime: ContainerRuntime): ContainerRuntime {
  const { image = "", imagePullPolicy } = part.container;
  const present = runtime.imagePresent || scene.hasImage(image);
  if (!present || imagePullPolicy === "Always") return pull(scene, part, runtime);
  say(scene, part, {
    reason: "Pulled",
    message: `Container image "${image}" already present on machine and can be accessed by the pod`,
  });
  return configure(scene, part, runtime);
}

function pull(scene: Scene, part: PodPart, runtime: ContainerRuntime): ContainerRuntime {
  say(scene, part, { reason: "Pulling", message: `Pulling image "${part.container.image ?? ""}"` });
  return at(runtime, { is: "pulling", until: scene.now + part.behaviour.pullMs });
}

function afterPull(scene: Scene, part: PodPart, runtime: ContainerRuntime): ContainerRuntime {
  const { image = "" } = part.container;
  const { pullError, pullMs } = part.behaviour;
  if (pullError !== undefined) {
    const why = `failed to pull and unpack image "${image}": ${pullError}`;
    warn(scene, part, "Failed", `Failed to pull image "${image}": ${why}`);
    warn(scene, part, "Failed", "Error: ErrImagePull");
    const until = scene.now + scene.profile.lookAgainMs;
    const delayMs = runtime.pullDelayMs ?? scene.profile.crash.initialMs;
    return at(runtime, { is: "unpullable", reason: "ErrImagePull", message: why, until, delayMs });
  }
  const span = formatSpan(pullMs);
  const message = `Successfully pulled image "${image}" in ${span} (${span} including waiting). Image size: ${imageBytes} bytes.`;
  say(scene, part, { reason: "Pulled", message });
  scene.pulled.push(image);
  return configure(scene, part, { ...runtime, pullDelayMs: undefined });
}

function pullAgain(
  scene: Scene,
  part: PodPart,
  { runtime, stage }: { runtime: ContainerRuntime; stage: ContainerStage & { is: "unpullable" } },
): ContainerRuntime {
  const { now, profile } = scene;
  if (stage.reason === "ImagePullBackOff") {
    const pullDelayMs = Math.min(profile.crash.maxMs, stage.delayMs * 2);
    return pull(scene, part, { ...runtime, pullDelayMs });
  }
  const message = `Back-off pulling image "${part.container.image ?? ""}"`;
  say(scene, part, { reason: "BackOff", message });
  warn(scene, part, "Failed", "Error: ImagePullBackOff");
  return at(runtime, {
    ...stage,
    reason: "ImagePullBackOff",
    message: `${message}: ErrImagePull: ${stage.message}`,
    until: now + stage.delayMs,
  });
}

/* ---- its environment ---- */

function configure(scene: Scene, part: PodPart, runtime: ContainerRuntime): ContainerRuntime {
  const present = { ...runtime, imagePresent: true };
  if (!part.hasReferences) return create(scene, part, present);
  return at(present, { is: "configuring" });
}

function configured(scene: Scene, part: PodPart, runtime: ContainerRuntime): ContainerRuntime {
  const outcome = scene.configOf(part.container.name);
  if (outcome === undefined) return runtime;
  if (outcome.is === "ready") return create(scene, part, runtime);
  warn(scene, part, "Failed", `Error: ${outcome.failure}`);
  const until = scene.now + scene.profile.syncRetryMs;
  return at(runtime, { is: "misconfigured", message: outcome.failure, until });
}

/* ---- the process ---- */

function create(scene: Scene, part: PodPart, runtime: ContainerRuntime): ContainerRuntime {
  say(scene, part, { reason: "Created", message: "Container created" });
  return {
    ...runtime,
    imagePresent: true,
    id: scene.containerId(part.container.name, runtime.restarts),
    stage: { is: "starting", until: scene.now + part.behaviour.startMs },
  };
}

function run(
  scene: Scene,
  part: PodPart,
  { runtime, at: startedAt }: { runtime: ContainerRuntime; at: number },
): ContainerRuntime {
  say(scene, part, { reason: "Started", message: "Container started" });
  return at(runtime, runningStage(part, startedAt, runtime.restarts));
}

export function runningStage(part: PodPart, startedAt: number, nth: number): ContainerStage {
  const { runMs, readyMs, probes: troubles } = part.behaviour;
  const forMs = runMs(nth);
  const probes = freshStates(troubles, startedAt);
  const isLate = readyMs === undefined || troubles.readiness !== undefined;
  return {
    is: "running",
    startedAt,
    endsAt: forMs === undefined ? undefined : startedAt + forMs,
    // A probe that fails at times says when; others succeed the first time.
    readyAt: isLate ? undefined : startedAt + readyMs,
    ...(probes === undefined ? {} : { probes }),
  };
}

function endIfDue(
  scene: Scene,
  part: PodPart,
  { runtime, stage }: { runtime: ContainerRuntime; stage: ContainerStage & { is: "running" } },
): ContainerRuntime {
  const { now } = scene;
  const { behaviour } = part;
  const own = stage.endsAt ?? Number.POSITIVE_INFINITY;
  const stopped = stage.stop?.at ?? Number.POSITIVE_INFINITY;
  const endedAt = Math.min(own, stopped);
  if (endedAt > now) return runtime;
  const id = runtime.id;
  if (stopped <= own) {
    const exitCode = stage.stop?.killed === true ? oomExitCode : behaviour.stopExitCode;
    const reason = exitCode === 0 ? "Completed" : "Error";
    return end(scene, part, { runtime, stage, ended: { exitCode, reason, endedAt, id } });
  }
  const { outOfMemory, message } = behaviour;
  const exitCode = outOfMemory
    ? oomExitCode
    : (stage.exitCode ?? behaviour.exitCode(runtime.restarts));
  const reason = outOfMemory ? "OOMKilled" : exitCode === 0 ? "Completed" : "Error";
  return end(scene, part, { runtime, stage, ended: { exitCode, reason, endedAt, id, message } });
}

function end(
  scene: Scene,
  part: PodPart,
  what: {
    runtime: ContainerRuntime;
    stage: ContainerStage & { is: "running" };
    ended: Omit<Ended, "startedAt">;
  },
): ContainerRuntime {
  const { runtime, stage, ended } = what;
  const mayRestart = stage.stop === undefined || stage.stop.again === true;
  const again = mayRestart && restarts(scene.pod, part, ended.exitCode);
  return {
    ...runtime,
    ended: { startedAt: stage.startedAt, ...ended },
    endedBefore: runtime.ended,
    stage: { is: "ended", until: again ? ended.endedAt + scene.profile.lookAgainMs : undefined },
  };
}

/* ---- again ---- */

function startAgain(scene: Scene, part: PodPart, runtime: ContainerRuntime): ContainerRuntime {
  const { now, profile } = scene;
  const { exitCode = 0, endedAt = now } = runtime.ended ?? {};
  if (!restarts(scene.pod, part, exitCode)) return at(runtime, { is: "ended", until: undefined });
  const { crash } = runtime;
  if (crash === undefined || endedAt - crash.at > profile.crash.forgetMs)
    return restart(scene, part, { runtime, delayMs: undefined });
  const until = endedAt + crash.delayMs;
  if (until <= now) return restart(scene, part, { runtime, delayMs: crash.delayMs });
  const { name } = part.container;
  warn(
    scene,
    part,
    "BackOff",
    `Back-off restarting failed container ${name} in pod ${podText(scene.pod)}`,
  );
  return at(runtime, { is: "backing off", until, delayMs: crash.delayMs });
}

/** `delayMs` undefined: it did not wait. */
function restart(
  scene: Scene,
  part: PodPart,
  { runtime, delayMs }: { runtime: ContainerRuntime; delayMs: number | undefined },
): ContainerRuntime {
  const { initialMs, maxMs } = scene.profile.crash;
  const next = delayMs === undefined ? initialMs : Math.min(maxMs, delayMs * 2);
  return fetchImage(scene, part, {
    ...runtime,
    restarts: runtime.restarts + 1,
    crash: { delayMs: next, at: scene.now },
  });
}

/** `name_namespace(uid)` */
export function podText({ metadata }: Pod): string {
  return `${metadata.name ?? ""}_${metadata.namespace ?? ""}(${metadata.uid ?? ""})`;
}

function at(runtime: ContainerRuntime, stage: ContainerStage): ContainerRuntime {
  return { ...runtime, stage };
}

function say(
  scene: Scene,
  part: PodPart,
  what: { readonly reason: string; readonly message: string },
): void {
  scene.says.push({ type: "Normal", ...what, fieldPath: part.fieldPath });
}

function warn(scene: Scene, part: PodPart, reason: string, message: string): void {
  scene.says.push({ type: "Warning", reason, message, fieldPath: part.fieldPath });
}
