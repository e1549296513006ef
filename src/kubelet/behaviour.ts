// How the containers of a pod behave, read from its annotations; docs/nodes.md lists them. `wavetank.dev/x` is for all
// containers of the pod, `wavetank.dev/x.NAME` for one. What cannot be read counts as not said.
import type { Container, Pod } from "../api/types/core-v1.ts";
import { commandOutcome } from "./command.ts";
import { type ProbeTrouble, type ProbeTroubles, probeKinds, probeOf, spansOf } from "./probe.ts";

export interface Behaviour {
  readonly pullMs: number;
  /** The registry's refusal; the image never comes. */
  readonly pullError: string | undefined;
  /** From the image being there to the process running. */
  readonly startMs: number;
  /** From running to answering its readiness probe; undefined: never. */
  readonly readyMs: number | undefined;
  /** From running to exiting by itself, in the given run (0 is the first); undefined: never. */
  readonly runMs: (run: number) => number | undefined;
  readonly exitCode: (run: number) => number;
  /** The kernel ends it for lack of memory: exit code 137, reason OOMKilled. */
  readonly outOfMemory: boolean;
  /** Probes that fail at times. */
  readonly probes: ProbeTroubles;
  /** From SIGTERM to exiting. */
  readonly stopMs: number;
  readonly stopExitCode: number;
  /** What the process leaves in its termination message. */
  readonly message: string | undefined;
}

const prefix = "wavetank.dev/";
const pullMsUsual = 300;
const startMsUsual = 200;
/** How long the containers of a Job's pod run when nothing says so. */
const jobRunMs = 1_000;
const initRunMs = 300;

export interface ContainerRole {
  readonly kind: "init" | "sidecar" | "main";
}

export function behaviourOf(pod: Pod, container: Container, role: ContainerRole): Behaviour {
  const said = (what: string): string | undefined => saidOf(pod, container.name, what);
  const ms = (what: string): number | undefined => millis(said(what));
  const command = commandOutcome(container);
  const runs = listOf(said("run-seconds")).map(millis);
  const codes = listOf(said("exit-code")).map(Number).filter(Number.isInteger);
  const usualRun = command?.runMs ?? runMsUsual(pod, role, codes.length > 0);
  const probe = container.readinessProbe;
  const probeMs = probe === undefined ? 0 : (probe.initialDelaySeconds ?? 0) * 1_000;
  return {
    pullMs: ms("pull-seconds") ?? pullMsUsual,
    pullError: said("pull-error"),
    startMs: ms("start-seconds") ?? startMsUsual,
    readyMs: said("ready") === "false" ? undefined : (ms("ready-seconds") ?? probeMs),
    runMs: (run) => (runs.length === 0 ? usualRun : nth(runs, run)),
    exitCode: (run) => nth(codes, run) ?? command?.exitCode ?? 0,
    outOfMemory: said("oom") === "true",
    probes: troublesOf(container, said),
    stopMs: (ms("stop-seconds") ?? 0) + preStopMs(container),
    stopExitCode: Number(said("stop-exit-code") ?? 0),
    message: said("message"),
  };
}

/** What the pod's annotations say of the container under that word. */
export function saidOf(pod: Pod, container: string, what: string): string | undefined {
  const annotations = pod.metadata.annotations ?? {};
  return annotations[`${prefix}${what}.${container}`] ?? annotations[`${prefix}${what}`];
}

function troublesOf(
  container: Container,
  said: (what: string) => string | undefined,
): ProbeTroubles {
  const troubles = probeKinds.flatMap((kind): [string, ProbeTrouble][] => {
    const spans = spansOf(said(`${kind}-fails`));
    const probe = probeOf(container, kind);
    if (spans.length === 0 || probe === undefined) return [];
    return [[kind, { spans, probe, output: said("probe-output") ?? "" }]];
  });
  return Object.fromEntries(troubles);
}

/** Whoever says how a container exits means that it does. */
function runMsUsual(pod: Pod, { kind }: ContainerRole, exits: boolean): number | undefined {
  if (kind === "sidecar") return undefined;
  if (kind === "init") return initRunMs;
  return exits || isOfJob(pod) ? jobRunMs : undefined;
}

function isOfJob({ metadata }: Pod): boolean {
  return (metadata.ownerReferences ?? []).some(
    ({ kind, controller }) => kind === "Job" && controller === true,
  );
}

/** A hook that runs a program takes as long as that does, as far as the node knows it. */
function preStopMs({ lifecycle }: Container): number {
  const { sleep, exec } = lifecycle?.preStop ?? {};
  const { command } = exec ?? {};
  const hook = command === undefined ? undefined : commandOutcome({ name: "", command });
  return (sleep?.seconds ?? 0) * 1_000 + (hook?.runMs ?? 0);
}

function millis(text: string | undefined): number | undefined {
  const seconds = text === undefined || text.trim() === "" ? Number.NaN : Number(text);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : undefined;
}

/** `1,1,0`: the first run, the second, all further ones. */
function listOf(text: string | undefined): string[] {
  return text === undefined ? [] : text.split(",").map((part) => part.trim());
}

function nth<T>(list: readonly T[], index: number): T | undefined {
  return list[Math.min(index, list.length - 1)];
}
