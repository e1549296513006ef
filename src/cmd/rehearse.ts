// Carries out `wavetank rehearse`: reads the scenario, runs it, tells the outcome. One line of progress with the simulated
// clock while it runs; the outcome goes to stdout, the report into a file.
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { stringify } from "yaml";
import { StatusError } from "../api/meta/errors.ts";
import { drainPromises } from "../host/node/drain-promises.ts";
import { createNodeHost } from "../host/node/node-host.ts";
import type { Engine } from "../cluster/simulated-control-plane.ts";
import { parseCostFile } from "../rehearsal/cost-file.ts";
import { figureKinds, populationFigures } from "../rehearsal/figures.ts";
import type { RehearsalOutcome } from "../rehearsal/outcome.ts";
import { minorNewest, minorOldest, parseMinor } from "../cluster/kubernetes-profile.ts";
import { rehearse } from "../rehearsal/rehearse.ts";
import { rehearsalProgress } from "./rehearsal-progress.ts";
import { reportPage } from "../rehearsal/report/page.ts";
import { shownTime } from "../rehearsal/report/quantity.ts";
import { type SweepPoint, sweepText } from "../rehearsal/report/sweep.ts";
import { terminalSummary } from "../rehearsal/report/terminal.ts";
import { parseGuard } from "../rehearsal/guard-file.ts";
import type { Guard, Scenario } from "../rehearsal/scenario.ts";
import { parseScenario } from "../rehearsal/scenario-file.ts";
import { scenarioPath } from "../rehearsal/library/library.ts";
import { UsageError } from "./options.ts";
import { readLibrary, readNamed, shippedFolder, userFile } from "./shipped.ts";

export interface RehearseFlags {
  readonly seed: number;
  readonly profile?: string;
  readonly guard: string;
  readonly nodes?: number;
  readonly set: readonly string[];
  readonly sweep?: string;
  readonly runs: number;
  readonly report?: string;
  readonly figures?: true;
  readonly output?: "json";
}

export function listFigures(): void {
  const rows = [
    ...Object.entries(figureKinds),
    ...Object.entries(populationFigures).map(
      ([name, kind]) => [`population.NAME.${name}`, kind] as const,
    ),
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  for (const [name, { what }] of rows) console.log(`${name.padEnd(width)}  ${what}`);
}

export async function rehearseAll(name: string | undefined, flags: RehearseFlags): Promise<void> {
  if (name === undefined)
    throw new UsageError("rehearse what? a scenario file or a name (wavetank incidents list)");
  if (flags.report !== undefined) requireFolderOf(flags.report);
  const outcomes =
    flags.sweep === undefined ? await repeated(name, flags) : await swept(name, flags, flags.sweep);
  const [first] = outcomes;
  if (flags.report !== undefined && first !== undefined) {
    writeFileSync(flags.report, reportPage(first));
    if (flags.output !== "json") console.log(`report: ${flags.report}`);
  }
  if (outcomes.some(({ verdict }) => !verdict.asExpected)) process.exitCode = 1;
}

/** Better now than after minutes. */
function requireFolderOf(report: string): void {
  const folder = dirname(resolve(report));
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new UsageError(`--report ${report}: there is no folder ${folder}`);
}

/** With one seed after another. */
async function repeated(name: string, flags: RehearseFlags): Promise<RehearsalOutcome[]> {
  const outcomes: RehearsalOutcome[] = [];
  for (let run = 0; run < flags.runs; run++) {
    const seed = flags.seed + run;
    const outcome = await rehearseOnce(name, flags, { seed, set: [] });
    outcomes.push(outcome);
    if (flags.output !== "json") console.log(terminalSummary(outcome));
  }
  if (flags.output === "json")
    console.log(JSON.stringify(flags.runs === 1 ? outcomes[0] : outcomes, undefined, 2));
  return outcomes;
}

async function swept(
  name: string,
  flags: RehearseFlags,
  sweep: string,
): Promise<RehearsalOutcome[]> {
  const [path = "", list = ""] = sweep.split("=");
  const values = list.split(",").filter((value) => value !== "");
  if (path === "" || values.length === 0)
    throw new UsageError(`--sweep ${sweep}: expected path=a,b,c`);
  const points: SweepPoint[] = [];
  for (const value of values) {
    const set = [`${path}=${value}`];
    points.push({ value, outcome: await rehearseOnce(name, flags, { seed: flags.seed, set }) });
  }
  const outcomes = points.map(({ outcome }) => outcome);
  console.log(
    flags.output === "json" ? JSON.stringify(points, undefined, 2) : sweepText(path, points),
  );
  return outcomes;
}

async function rehearseOnce(
  name: string,
  flags: RehearseFlags,
  { seed, set }: { readonly seed: number; readonly set: readonly string[] },
): Promise<RehearsalOutcome> {
  const scenario = readScenario(name, flags, set);
  const progress = rehearsalProgress();
  const alive = setInterval(() => undefined, 60_000);
  try {
    return await rehearse(engineOf(), scenario, {
      seed,
      guards: flags.guard === "off" || flags.guard === "on" ? [flags.guard] : ["off", "on"],
      command: commandOf(name, flags, { seed, set }),
      guardText: guardText(scenario.guard),
      onProgress: (guard, simulatedMs, ofMs) =>
        progress.show(`guard ${guard}  ${shownTime(simulatedMs)} of ${shownTime(ofMs)}`),
    });
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    // The schema takes any object; what the API server thinks of it is known only now.
    const message = `${name}: the API server refuses what the scenario makes: ${error.message}`;
    throw new UsageError(message, { cause: error });
  } finally {
    clearInterval(alive);
    progress.end();
  }
}

function engineOf(): Engine {
  return { digest: createNodeHost("silent", () => undefined).digest, drain: drainPromises };
}

function readScenario(name: string, flags: RehearseFlags, more: readonly string[]): Scenario {
  const shipped = `${shippedFolder("incidents")}/${scenarioPath(name)}`;
  const text = readNamed(name, shipped, hintFor(name));
  const set = [
    ...profileSets(flags.profile),
    ...(flags.nodes === undefined ? [] : [`nodes=${flags.nodes}`]),
    ...flags.set,
    ...more,
  ];
  const scenario = userFile(() => parseScenario(text, name, set));
  if (["off", "on", "both"].includes(flags.guard)) return scenario;
  // The scenario's own sentence speaks of its own guard.
  const verdict = { ...scenario.verdict, on: `With ${flags.guard}: ${scenario.verdict.off}` };
  return { ...scenario, guard: ownGuard(flags.guard), verdict };
}

/** What there is instead of a scenario that there is not. */
function hintFor(name: string): string {
  const [slug] = name.split("/");
  const entry = readLibrary().find((one) => one.slug === slug);
  if (entry === undefined) return "wavetank incidents list marks those with a rehearsal";
  if (entry.scenarios.length > 0) return `there is ${entry.scenarios.join(", ")}`;
  return `this incident has no replay; wavetank incidents show ${entry.slug} tells of it`;
}

/** A version, `wavetank`, or a file of measured costs, which also says what to behave as. */
function profileSets(profile: string | undefined): string[] {
  if (profile === undefined) return [];
  const version = profile.replace(/^v/, "");
  if (version === "wavetank" || parseMinor(version) !== undefined) return [`profile="${version}"`];
  let text: string;
  try {
    text = readFileSync(profile, "utf8");
  } catch (cause) {
    const range = `1.${minorOldest} to 1.${minorNewest}`;
    const message = `--profile ${profile}: expected ${range}, wavetank, or a file of costs`;
    throw new UsageError(message, { cause });
  }
  const file = userFile(() => parseCostFile(text, profile));
  return [`profile="${file.profile}"`, `costs=${JSON.stringify(file.costs)}`];
}

/** Not off, on or both: a file of manifests. */
function ownGuard(path: string): Guard {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    const message = `--guard ${path}: expected off, on, both, or a file of manifests`;
    throw new UsageError(message, { cause });
  }
  return userFile(() => parseGuard(text, path));
}

function guardText(guard: Guard | undefined): string | undefined {
  if (guard === undefined) return undefined;
  const limit = guard.runawayOwnerLimit;
  const option = limit === undefined ? [] : [`# wavetank up --runaway-owner-limit ${limit}\n`];
  return [...option, ...guard.manifests.map((manifest) => stringify(manifest))].join("---\n");
}

function commandOf(
  name: string,
  flags: RehearseFlags,
  { seed, set }: { readonly seed: number; readonly set: readonly string[] },
): string {
  const sets = [...flags.set, ...set].map((one) => ` --set '${one}'`).join("");
  const profile = flags.profile === undefined ? "" : ` --profile ${flags.profile}`;
  const nodes = flags.nodes === undefined ? "" : ` --nodes ${flags.nodes}`;
  const guard = flags.guard === "both" ? "" : ` --guard ${flags.guard}`;
  return `wavetank rehearse ${name} --seed ${seed}${profile}${nodes}${guard}${sets}`;
}
