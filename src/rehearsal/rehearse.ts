// A rehearsal: the runs of a scenario, without its guard and with it, and the verdict over them.
import type { Engine } from "../cluster/simulated-control-plane.ts";
import type { CostProfile } from "./cost-profile.ts";
import { costsFor } from "./cost-profiles.ts";
import type { RehearsalOutcome, RunOutcome, UsedCoefficient, Verdict } from "./outcome.ts";
import { figureText } from "./run/check.ts";
import { runScenario } from "./run/run.ts";
import { guarded } from "./guarded.ts";
import type { Scenario } from "./scenario.ts";

export interface RehearsalOptions {
  readonly seed: number;
  /** In the order they shall run. A scenario without a guard is run without it only. */
  readonly guards: readonly ("off" | "on")[];
  /** Repeats exactly this. */
  readonly command: string;
  /** The guard's objects as the report shows them. */
  readonly guardText: string | undefined;
  readonly onProgress: (guard: "off" | "on", simulatedMs: number, ofMs: number) => void;
}

export async function rehearse(
  engine: Engine,
  scenario: Scenario,
  options: RehearsalOptions,
): Promise<RehearsalOutcome> {
  const guards = scenario.guard === undefined ? (["off"] as const) : options.guards;
  const runs: RunOutcome[] = [];
  for (const guard of guards)
    runs.push(
      await runScenario(engine, guard === "on" ? guarded(scenario) : scenario, {
        seed: options.seed,
        guard,
        onProgress: (simulatedMs, ofMs) => options.onProgress(guard, simulatedMs, ofMs),
      }),
    );
  const { name, title, summary, profile } = scenario;
  return {
    scenario: { name, title, summary },
    seed: options.seed,
    profile,
    runs,
    verdict: verdictOf(scenario, runs),
    command: options.command,
    ...(options.guardText === undefined ? {} : { guard: options.guardText }),
    coefficients: coefficientsOf(costsFor(scenario)),
  };
}

function verdictOf(scenario: Scenario, runs: readonly RunOutcome[]): Verdict {
  const sentences = runs.map((run) => filled(scenario.verdict[run.guard], run));
  return {
    asExpected: runs.every(({ checks }) => checks.every(({ passed }) => passed)),
    sentence: sentences.join(" "),
  };
}

function filled(text: string, { figures, culprits }: RunOutcome): string {
  return text.replaceAll(/\{\{(.*?)\}\}/g, (_, name: string) => {
    if (name === "culprit") return culprits[0]?.client ?? "nobody";
    return figureText(name, figures[name] ?? 0);
  });
}

function coefficientsOf(costs: CostProfile): UsedCoefficient[] {
  const { etcd, apiServer, controllers } = costs;
  const parts = { etcd, apiServer, controllers };
  return Object.entries(parts).flatMap(([part, coefficients]) =>
    Object.entries(coefficients).map(([name, { value, unit, source }]) => ({
      name: `${part}.${name}`,
      value,
      unit,
      source,
    })),
  );
}
