// One run of a scenario under one setting of its guard: a world is built, what lives in it is put there, the script is
// played, and what was seen is written down.
import { reportOf } from "../../accounting/ledger/report.ts";
import { usualFlowControl } from "../../cluster/flow-control.ts";
import {
  type KubernetesProfile,
  kubernetesProfile,
  minorNewest,
  parseMinor,
  withoutTaintManager,
} from "../../cluster/kubernetes-profile.ts";
import type { Engine } from "../../cluster/simulated-control-plane.ts";
import { assert } from "../../std/assert.ts";
import type { CostProfile } from "../cost-profile.ts";
import { costsFor } from "../cost-profiles.ts";
import { observeMachines } from "../observe/machines.ts";
import { observeObjects } from "../observe/objects.ts";
import type { Observation } from "../observe/observation.ts";
import { Recorder } from "../observe/recorder.ts";
import { observeRequests } from "../observe/requests.ts";
import { observeWork } from "../observe/work.ts";
import type { Happening, RunOutcome } from "../outcome.ts";
import type { Scenario } from "../scenario.ts";
import { World, gibibytes } from "../world/world.ts";
import { checkOutcomes } from "./check.ts";
import { culpritsOf } from "./culprits.ts";
import { describe, perform } from "./deeds.ts";
import { fleetOf, prepare, startInhabitants } from "./inhabitants.ts";
import { applyManifests } from "./manifests.ts";
import { populationFigureValues, populationSeries } from "./population-figures.ts";
import { messageOf } from "../../std/error-message.ts";

export interface RunOptions {
  readonly seed: number;
  readonly guard: "off" | "on";
  /** Told now and then how far simulated time has come, of how much. */
  readonly onProgress: (simulatedMs: number, ofMs: number) => void;
}

const samples = 300;
const progressSteps = 200;
const prepareMsMax = 3_600_000;
/** Nodes register and become Ready, informers fill. */
const settleMs = 60_000;
const ledgerRowsMax = 1_000;

/** Rejects with AlarmError when the world does not even come up. */
export async function runScenario(
  engine: Engine,
  scenario: Scenario,
  options: RunOptions,
): Promise<RunOutcome> {
  const profile = profileOf(scenario);
  const world = buildWorld(engine, scenario, { ...options, profile });
  const ending = new AbortController();
  await world.boot();
  startInhabitants(world, scenario, { profile, costs: costsFor(scenario) });
  if (scenario.nodes > 0) await world.driver.advance(settleMs);
  await world.driver.run(prepare(world, scenario, ending.signal), prepareMsMax);
  const guard = options.guard === "on" ? (scenario.guard?.manifests ?? []) : [];
  await world.driver.run(applyManifests(world, guard), prepareMsMax);
  if (scenario.nodes > 0) await world.driver.advance(settleMs);
  return play(world, scenario, { ...options, ending });
}

async function play(
  world: World,
  scenario: Scenario,
  options: RunOptions & { readonly ending: AbortController },
): Promise<RunOutcome> {
  const durationMs = scenario.durationSeconds * 1_000;
  const observations = [
    observeMachines(world),
    observeRequests(world.network, world.host.clock),
    observeWork(world),
    await world.driver.run(observeObjects(world.etcd.store), prepareMsMax),
  ];
  const recorder = new Recorder(world.host, durationMs / samples);
  for (const { gauges } of observations) gauges.forEach((gauge) => recorder.watch(gauge));
  recorder.start();
  const startMs = world.host.clock.now();
  const costsBefore = reportOf(world.ledger, world.host.clock, ledgerRowsMax);
  const fleet = fleetOf(world, scenario);
  const running = fleet.run();
  const happened = script(world, scenario, options.ending.signal);
  for (let step = 1; step <= progressSteps; step++) {
    await world.driver.advance(durationMs / progressSteps);
    options.onProgress((durationMs * step) / progressSteps, durationMs);
  }
  recorder.stop();
  // Before clients are sent away, whose watches are part of it.
  const observed = figuresOf(observations);
  options.ending.abort();
  fleet.stop();
  await world.driver.run(running, prepareMsMax);
  const report = fleet.report();
  const figures = { ...observed, ...populationFigureValues(report) };
  return {
    guard: options.guard,
    traceHash: world.host.trace(),
    simulatedMs: durationMs,
    timeline: [...happened, ...deathsSince(world, startMs)].toSorted((a, b) => a.atMs - b.atMs),
    culprits: culpritsOf(reportOf(world.ledger, world.host.clock, ledgerRowsMax), costsBefore),
    checks: checkOutcomes(scenario.checks, options.guard, figures),
    series: [...recorder.series().filter(isAlive), ...populationSeries(report)],
    figures,
  };
}

/** A chart of nothing but zeros tells nothing. */
function isAlive({ values }: { readonly values: readonly number[] }): boolean {
  return values.some((value) => value !== 0);
}

function figuresOf(observations: readonly Observation[]): Record<string, number> {
  return Object.assign({}, ...observations.map((observation) => observation.figures())) as Record<
    string,
    number
  >;
}

/** Each step at its time; the list grows as they happen. */
function script(world: World, scenario: Scenario, signal: AbortSignal): Happening[] {
  const { clock, log } = world.host;
  const happened: Happening[] = [];
  const start = clock.monotonic();
  for (const { atSeconds, ...deed } of scenario.timeline)
    clock.after(atSeconds * 1_000, () => {
      if (signal.aborted) return;
      const what = describe(deed);
      happened.push({ atMs: clock.monotonic() - start, what, kind: "scripted" });
      perform(world, deed, signal).catch((error: unknown) => {
        if (signal.aborted) return;
        const why = messageOf(error);
        log.warn("a deed failed", { what, why });
        happened.push({
          atMs: clock.monotonic() - start,
          what: `failed: ${what}: ${why}`,
          kind: "followed",
        });
      });
    });
  return happened;
}

function deathsSince(world: World, startMs: number): Happening[] {
  const processes = [
    ...world.etcd.members.map(({ process }) => process),
    ...world.servers.map(({ process }) => process),
  ];
  return processes.flatMap(({ name, deaths }) =>
    deaths
      .filter(({ atMs, violent }) => violent && atMs >= startMs)
      .map(({ atMs, why }) => ({
        atMs: atMs - startMs,
        what: `${name} dies: ${why}`,
        kind: "followed" as const,
      })),
  );
}

/* ---- building ---- */

function profileOf({ profile, controlPlane }: Scenario): KubernetesProfile {
  const minor = profile === "wavetank" ? minorNewest : parseMinor(profile);
  assert(minor !== undefined, "the scenario was checked");
  const own = kubernetesProfile(minor);
  if (controlPlane.taintManager) return own;
  const without = withoutTaintManager(own);
  assert(without !== undefined, "the scenario was checked");
  return without;
}

function buildWorld(
  engine: Engine,
  scenario: Scenario,
  { seed, guard, profile }: RunOptions & { readonly profile: KubernetesProfile },
): World {
  const { controlPlane } = scenario;
  const bounded = guard === "on" ? scenario.guard?.runawayOwnerLimit : undefined;
  const costs: CostProfile = costsFor(scenario);
  return new World(seed, engine, {
    masters: controlPlane.masters,
    machine: { cores: controlPlane.cores, memoryBytes: gibibytes(controlPlane.memoryGiB) },
    network: { latencyMs: controlPlane.latencyMs },
    costs,
    etcdQuotaBytes: gibibytes(controlPlane.etcdQuotaMiB / 1_024),
    etcdBaseBytes: gibibytes(controlPlane.etcdBaseGiB),
    apiServerBaseBytes: gibibytes(controlPlane.apiServerBaseGiB),
    livenessProbe: controlPlane.livenessProbe,
    options: {
      profile: { ...profile, reads: { ...profile.reads, storeReads: "whole" } },
      runawayOwnerLimit: bounded ?? controlPlane.runawayOwnerLimit,
      flowControl:
        scenario.profile === "wavetank"
          ? usualFlowControl
          : {
              ...usualFlowControl,
              enabled: profile.flowControl.enabled,
              profile: profile.flowControl,
              minor: profile.minor,
            },
    },
  });
}
