// `npm run sim -- --seed 7 --workload job --fault kill-controllers [--at K | --sweep]`: runs a workload under a fault, and
// prints for every failure the one command that repeats it. Without --workload or --fault: all of them.
import { setMaxListeners } from "node:events";
import { parseArgs } from "node:util";
import { engine } from "../test/simulation.ts";
import { allFaults } from "./faults/all-faults.ts";
import { canary } from "./faults/canary.ts";
import { type Outcome, run } from "./run.ts";
import { allWorkloads } from "./workloads/all-workloads.ts";
import type { Workload } from "./workloads/workload.ts";

// Everybody who waits for a process listens for its end.
setMaxListeners(0);

const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    runs: { type: "string", default: "1" },
    workload: { type: "string" },
    fault: { type: "string" },
    at: { type: "string" },
    sweep: { type: "boolean", default: false },
  },
});

const faults = { ...allFaults, canary };

function usage(what: string): never {
  const workloads = allWorkloads.map(({ name }) => name).join(", ");
  console.error(`${what}\nworkloads: ${workloads}\nfaults: ${Object.keys(faults).join(", ")}`);
  process.exit(2);
}

function chosenWorkloads(): readonly Workload[] {
  const { workload } = values;
  if (workload === undefined) return allWorkloads;
  const found = allWorkloads.find(({ name }) => name === workload);
  return found === undefined ? usage(`no workload is called ${workload}`) : [found];
}

function chosenFaults(): readonly string[] {
  const { fault } = values;
  if (fault === undefined) return Object.keys(allFaults);
  return Object.hasOwn(faults, fault) ? [fault] : usage(`no fault is called ${fault}`);
}

interface Case {
  readonly seed: number;
  readonly workload: Workload;
  readonly fault: string;
  readonly at: number | undefined;
}

async function one({ seed, workload, fault, at }: Case): Promise<Outcome> {
  const make = faults[fault as keyof typeof faults];
  const began = process.hrtime.bigint();
  const outcome = await run(engine, { seed, workload, fault: make(), at });
  const seconds = Number(process.hrtime.bigint() - began) / 1e9;
  const { violations, strikes, simulatedMs, trace } = outcome;
  const flags = `--seed ${seed} --workload ${workload.name} --fault ${fault}${at === undefined ? "" : ` --at ${at}`}`;
  const verdict = violations.length === 0 ? "ok  " : "FAIL";
  const speed = Math.round(simulatedMs / 1000 / seconds);
  console.log(
    `${verdict} ${flags}: ${strikes} strikes, ${Math.round(simulatedMs / 1000)} s simulated (${speed} a second), trace ${trace}`,
  );
  for (const violation of violations) console.log(`     ${violation}`);
  if (violations.length > 0) console.log(`     repeat: npm run sim -- ${flags}`);
  return outcome;
}

/** One run for every write there is to be killed after. */
async function sweep(seed: number, workload: Workload, fault: string): Promise<boolean> {
  let isWell = true;
  for (let at = 1; ; at++) {
    const { violations, strikes } = await one({ seed, workload, fault, at });
    isWell = isWell && violations.length === 0;
    if (strikes === 0) return isWell;
  }
}

const first = Number(values.seed ?? Number(process.hrtime.bigint() % 1_000_000n));
const at = values.at === undefined ? undefined : Number(values.at);
let isWell = true;
for (let seed = first; seed < first + Number(values.runs); seed++)
  for (const workload of chosenWorkloads())
    for (const fault of chosenFaults()) {
      const well = values.sweep
        ? await sweep(seed, workload, fault)
        : (await one({ seed, workload, fault, at })).violations.length === 0;
      isWell = isWell && well;
    }
process.exitCode = isWell ? 0 : 1;
