// Probes that fail because a test says so: when each is asked, what is said when it fails, and what follows (upstream:
// pkg/kubelet/prober). Containers whose probes always succeed have no state here and cost nothing. Pure.
import type { Container, Pod, Probe } from "../api/types/core-v1.ts";

export type ProbeKind = "startup" | "readiness" | "liveness";

export const probeKinds: readonly ProbeKind[] = ["startup", "readiness", "liveness"];

/** Times after the start of a run at which a probe fails: from the first ms, to before the last. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Probes of a container that a test lets fail. */
export type ProbeTroubles = Readonly<Partial<Record<ProbeKind, ProbeTrouble>>>;

export interface ProbeTrouble {
  readonly spans: readonly Span[];
  /** What the probe is told then. */
  readonly output: string;
  readonly probe: Probe;
}

export interface ProbeState {
  /** Wall clock. */
  readonly nextAt: number;
  readonly failures: number;
  readonly successes: number;
}

export type ProbeStates = Readonly<Partial<Record<ProbeKind, ProbeState>>>;

export function probeOf(container: Container, kind: ProbeKind): Probe | undefined {
  switch (kind) {
    case "startup":
      return container.startupProbe;
    case "readiness":
      return container.readinessProbe;
    default:
      return container.livenessProbe;
  }
}

/** `10-20,60-`: from 10 s to 20 s, and from 60 s on. What cannot be read counts as not said. */
export function spansOf(text: string | undefined): Span[] {
  return (text ?? "").split(",").flatMap((part) => {
    const [, from = "", to = ""] = /^\s*(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)?\s*$/.exec(part) ?? [];
    if (from === "") return [];
    const toMs = to === "" ? Number.POSITIVE_INFINITY : Number(to) * 1_000;
    return [{ fromMs: Number(from) * 1_000, toMs }];
  });
}

/** The words of a usual failure of that kind of probe. */
export function usualOutput(probe: Probe, podIP: string): string {
  if (probe.tcpSocket !== undefined)
    return `dial tcp ${podIP}:${probe.tcpSocket.port}: connect: connection refused`;
  if (probe.grpc !== undefined) return 'service unhealthy (responded with "NOT_SERVING")';
  return probe.exec === undefined ? "HTTP probe failed with statuscode: 500" : "";
}

/** Of a run that starts now. */
export function freshStates(troubles: ProbeTroubles, startedAt: number): ProbeStates | undefined {
  const states: Partial<Record<ProbeKind, ProbeState>> = {};
  for (const kind of probeKinds) {
    const delayMs = (troubles[kind]?.probe.initialDelaySeconds ?? 0) * 1_000;
    if (troubles[kind] !== undefined)
      states[kind] = { nextAt: startedAt + delayMs, failures: 0, successes: 0 };
  }
  return Object.keys(states).length === 0 ? undefined : states;
}

/** The same, for a run that is under way: what was asked before is not asked again. */
export function resumedStates(
  states: ProbeStates,
  troubles: ProbeTroubles,
  now: number,
): ProbeStates {
  const resumed: Partial<Record<ProbeKind, ProbeState>> = {};
  for (const kind of probeKinds) {
    const state = states[kind];
    const trouble = troubles[kind];
    if (state === undefined || trouble === undefined) continue;
    const missed = Math.max(0, Math.ceil((now - state.nextAt) / periodMs(trouble.probe)));
    resumed[kind] = { ...state, nextAt: state.nextAt + missed * periodMs(trouble.probe) };
  }
  return resumed;
}

/** Which probe is asked next, and when; while a container starts up the others wait. */
export function nextProbe(
  states: ProbeStates,
): { readonly kind: ProbeKind; readonly at: number } | undefined {
  const asked = states.startup === undefined ? probeKinds : (["startup"] as const);
  let first: { kind: ProbeKind; at: number } | undefined;
  for (const kind of asked) {
    const at = states[kind]?.nextAt;
    if (at !== undefined && (first === undefined || at < first.at)) first = { kind, at };
  }
  return first;
}

export interface Probed {
  readonly states: ProbeStates;
  readonly failed: boolean;
  /** As often in a row as makes a difference. */
  readonly verdict: "success" | "failure" | undefined;
}

/** Asks the probe that is due. */
export function askProbe(
  states: ProbeStates,
  kind: ProbeKind,
  { trouble, startedAt }: { readonly trouble: ProbeTrouble; readonly startedAt: number },
): Probed {
  const before = states[kind] ?? { nextAt: startedAt, failures: 0, successes: 0 };
  const { spans, probe } = trouble;
  const afterMs = before.nextAt - startedAt;
  const failed = spans.some(({ fromMs, toMs }) => fromMs <= afterMs && afterMs < toMs);
  const state: ProbeState = {
    nextAt: before.nextAt + periodMs(probe),
    failures: failed ? before.failures + 1 : 0,
    successes: failed ? 0 : before.successes + 1,
  };
  const verdict = verdictOf(state, probe);
  const passed = kind === "startup" && verdict === "success";
  return {
    states: passed ? startedUp(states, before.nextAt) : { ...states, [kind]: state },
    failed,
    verdict,
  };
}

function verdictOf({ failures, successes }: ProbeState, probe: Probe): Probed["verdict"] {
  if (failures >= (probe.failureThreshold ?? 3)) return "failure";
  return successes >= (probe.successThreshold ?? 1) ? "success" : undefined;
}

/** From then on the others are asked. */
function startedUp({ readiness, liveness }: ProbeStates, at: number): ProbeStates {
  const from = (state: ProbeState): ProbeState => ({
    ...state,
    nextAt: Math.max(state.nextAt, at),
  });
  return {
    ...(readiness === undefined ? {} : { readiness: from(readiness) }),
    ...(liveness === undefined ? {} : { liveness: from(liveness) }),
  };
}

function periodMs({ periodSeconds }: Probe): number {
  return (periodSeconds ?? 10) * 1_000;
}

/** How long the container has after a probe that failed for good. */
export function probeGraceMs(pod: Pod, probe: Probe): number {
  const seconds =
    probe.terminationGracePeriodSeconds ?? pod.spec?.terminationGracePeriodSeconds ?? 30;
  return seconds * 1_000;
}
