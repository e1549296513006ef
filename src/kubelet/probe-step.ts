// A running container whose probes are asked: it gets ready or not, or is killed to be started again.
import type { Scene } from "./scene.ts";
import type { PodPart } from "./pod-part.ts";
import type { ContainerStage } from "./pod-runtime.ts";
import { type ProbeKind, askProbe, nextProbe, probeGraceMs, usualOutput } from "./probe.ts";

type Running = ContainerStage & { readonly is: "running" };

const titles: Readonly<Record<ProbeKind, string>> = {
  startup: "Startup",
  readiness: "Readiness",
  liveness: "Liveness",
};

/** The same object: no probe is due. */
export function stepProbe(scene: Scene, part: PodPart, stage: Running): Running {
  if (stage.probes === undefined || stage.stop !== undefined) return stage;
  const next = nextProbe(stage.probes);
  const trouble = next === undefined ? undefined : part.behaviour.probes[next.kind];
  if (next === undefined || trouble === undefined || next.at > scene.now) return stage;
  const { kind, at } = next;
  const { startedAt } = stage;
  const { states, failed, verdict } = askProbe(stage.probes, kind, { trouble, startedAt });
  if (failed) {
    const output = trouble.output || usualOutput(trouble.probe, scene.pod.status?.podIP ?? "");
    const message = `${titles[kind]} probe failed: ${output}`;
    scene.says.push({ type: "Warning", reason: "Unhealthy", message, fieldPath: part.fieldPath });
  }
  const asked: Running = { ...stage, probes: states };
  if (kind === "readiness") return withReadiness(asked, verdict, at);
  return verdict === "failure" ? kill(scene, part, { stage: asked, kind }) : asked;
}

function withReadiness(
  stage: Running,
  verdict: "success" | "failure" | undefined,
  at: number,
): Running {
  if (verdict === "failure") return { ...stage, readyAt: undefined };
  return verdict === "success" && stage.readyAt === undefined ? { ...stage, readyAt: at } : stage;
}

function kill(
  scene: Scene,
  part: PodPart,
  { stage, kind }: { readonly stage: Running; readonly kind: "startup" | "liveness" },
): Running {
  const { container, behaviour, fieldPath } = part;
  const message = `Container ${container.name} failed ${kind} probe, will be restarted`;
  scene.says.push({ type: "Normal", reason: "Killing", message, fieldPath });
  const graceMs = probeGraceMs(scene.pod, behaviour.probes[kind]?.probe ?? {});
  const killed = behaviour.stopMs > graceMs;
  const stop = {
    at: scene.now + Math.min(behaviour.stopMs, graceMs),
    killed,
    again: true,
  } as const;
  return { ...stage, stop };
}
