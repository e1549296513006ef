// One run in two phases. While faults are on, only what must never happen is asked; then faults stop, and in bounded time
// everything must become as the user wanted it, with nothing left over.
import type { Engine } from "../src/cluster/simulated-control-plane.ts";
import { Acknowledged } from "./checkers/acknowledged.ts";
import { allCheckers } from "./checkers/all-checkers.ts";
import type { Fault } from "./faults/fault.ts";
import type { Workload } from "./workloads/workload.ts";
import { SimWorld } from "./world.ts";

export interface RunOptions {
  readonly seed: number;
  readonly workload: Workload;
  readonly fault: Fault;
  /** Strike once, after this write of the process concerned; undefined: again and again. */
  readonly at: number | undefined;
}

export interface Outcome {
  /** Empty: all was well. */
  readonly violations: readonly string[];
  readonly strikes: number;
  readonly simulatedMs: number;
  /** The same for the same options, on every machine. */
  readonly trace: string;
}

/** At least so long, and until the user has done what he wanted. */
const faultsMs = 90_000;
const actMsMax = 1_800_000;
const convergeMsMax = 1_800_000;
const lookEveryMs = 1_000;
/** Things have come to rest when they stay right so long. */
const restMs = 60_000;
const violationsMax = 20;

export async function run(engine: Engine, options: RunOptions): Promise<Outcome> {
  const { seed, workload, fault, at } = options;
  const world = new SimWorld(seed, engine);
  const checkers = allCheckers.map((make) => make());
  const violations: string[] = [];
  const complain = (name: string, what: string): void => {
    if (!fault.excuses.includes(name) && violations.length < violationsMax)
      violations.push(`${name}, ${world.host.clock.monotonic()} ms: ${what}`);
  };
  world.state.onChange((change) => {
    for (const checker of checkers)
      for (const what of checker.see(change, world.state)) complain(checker.name, what);
  });
  await world.boot();
  const acknowledged = new Acknowledged();
  let strikes = 0;
  const chance = world.host.random.stream("sim/faults");
  const scene = { world, chance, at, struck: () => void strikes++ };
  fault.start(scene);
  const user = { client: world.admin, clock: world.host.clock, acknowledged };
  await world.driver.run(Promise.all([workload.act(user), passed(world, faultsMs)]), actMsMax);
  await world.driver.run(fault.stop(scene), actMsMax);
  const missing = await converge(world, workload);
  if (missing !== "") complain("converged", `after ${convergeMsMax} ms: ${missing}`);
  for (const checker of checkers)
    for (const what of checker.atEnd(world.state)) complain(checker.name, what);
  for (const what of acknowledged.lost(world.state)) complain("acknowledged", what);
  for (const what of brokenParts(world)) complain("log", what);
  await world.end();
  return {
    violations,
    strikes,
    simulatedMs: world.host.clock.monotonic(),
    trace: world.host.trace(),
  };
}

function passed({ host }: SimWorld, ms: number): Promise<void> {
  return new Promise((resolve) => void host.clock.after(ms, resolve));
}

/** "": it is, and stays, as it should be. */
async function converge(world: SimWorld, workload: Workload): Promise<string> {
  const end = world.host.clock.monotonic() + convergeMsMax;
  let missing = "";
  let rightSince: number | undefined;
  while (world.host.clock.monotonic() < end) {
    missing = workload.missing(world.state);
    const now = world.host.clock.monotonic();
    rightSince = missing === "" ? (rightSince ?? now) : undefined;
    if (rightSince !== undefined && now - rightSince >= restMs) return "";
    await world.driver.advance(lookEveryMs);
  }
  return missing === "" ? "it does not come to rest" : missing;
}

/** Nobody logs an error in a run: faults are warnings at most. */
function brokenParts({ host }: SimWorld): string[] {
  return host.lines
    .filter(({ level }) => level === "error")
    .map(({ message, fields }) => `${message} ${JSON.stringify(fields)}`);
}
