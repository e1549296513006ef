// A few runs with fixed seeds for every change; `npm run sim` has all workloads, all faults and fresh seeds.
import { setMaxListeners } from "node:events";
import { beforeAll, expect, it } from "vitest";
import { engine } from "../test/simulation.ts";
import { allFaults } from "./faults/all-faults.ts";
import { canary } from "./faults/canary.ts";
import type { Fault } from "./faults/fault.ts";
import { type Outcome, run } from "./run.ts";
import { allWorkloads } from "./workloads/all-workloads.ts";

beforeAll(() => setMaxListeners(0));

function runOf(seed: number, name: string, fault: Fault | undefined): Promise<Outcome> {
  const workload = allWorkloads.find((one) => one.name === name);
  if (workload === undefined || fault === undefined) throw new Error(`no ${name} or no fault`);
  return run(engine, { seed, workload, fault, at: undefined });
}

it.each([
  [1, "job", "kill-controllers"],
  [3, "deployment-rollout", "everything"],
  [2, "quota-race", "none"],
])("seed %i: %s under %s", async (seed, workload, fault) => {
  const outcome = await runOf(seed, workload, allFaults[fault]?.());
  const repeat = `npm run sim -- --seed ${seed} --workload ${workload} --fault ${fault}`;
  expect(outcome.violations, repeat).toEqual([]);
});

it("the same seed is the same run, and vandals are noticed", async () => {
  const [one, again] = [await runOf(3, "job", canary()), await runOf(3, "job", canary())];
  expect(one.violations.join()).toContain("job-counts");
  expect(again.trace).toBe(one.trace);
});
