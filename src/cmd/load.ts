// Carries out `wavetank load`: reads the file, prepares, runs the fleet over real connections, reports. Ctrl-C ends the run
// and still reports; a second one ends the process.
import { readFileSync, readdirSync } from "node:fs";
import { Fixtures } from "../fleet/fixtures.ts";
import { Fleet } from "../fleet/fleet.ts";
import type { Population, PopulationFile } from "../fleet/population.ts";
import { noChanges, parsePopulationFile } from "../fleet/population-file.ts";
import type { FleetReport, FlowReport } from "../fleet/report.ts";
import { type FleetWorld, impersonatingWorld } from "../fleet/world.ts";
import { AbortedError } from "../client/waiting.ts";
import { StatusError } from "../api/meta/errors.ts";
import type { Host } from "../host/host.ts";
import { ConnectionError } from "../host/http.ts";
import { createHttp1Transport } from "../host/node/http1-transport.ts";
import { createHttpsTransport } from "../host/node/https-transport.ts";
import { createNodeHost } from "../host/node/node-host.ts";
import { tlsTrust } from "../host/node/tls-trust.ts";
import { createSeededRandom } from "../host/simulated/seeded-random.ts";
import { bystanderMs, runForParent, startBystanders } from "./load-bystanders.ts";
import { flowNames } from "./flow-names.ts";
import { keptText, progressText, reportText } from "./load-text.ts";
import { UsageError } from "./options.ts";
import { connectTo, readCredentials } from "./server-connection.ts";
import { readNamed, shippedFolder, userFile } from "./shipped.ts";

export interface LoadFlags {
  readonly list?: true;
  readonly kubeconfig: string;
  readonly context?: string;
  readonly duration: number;
  readonly maxRequests: number;
  readonly scale: number;
  readonly set: readonly string[];
  readonly seed?: number;
  readonly prepare: boolean;
  readonly prepareOnly?: true;
  readonly cleanup?: true;
  readonly output?: "json";
  /** Only these, reported to the process that asks. */
  readonly bystanders?: true;
}

const progressMs = 500;

export function listPopulations(): void {
  const folder = shippedFolder("populations");
  const names = readdirSync(folder).filter((name) => name.endsWith(".yaml"));
  const rows = names.map((name) => {
    const { description } = readShipped(folder, name);
    return [name.replace(/\.yaml$/, ""), description] as const;
  });
  const width = Math.max(...rows.map(([name]) => name.length));
  for (const [name, description] of rows) console.log(`${name.padEnd(width)}  ${description}`);
}

function readShipped(folder: string, name: string): PopulationFile {
  return parsePopulationFile(readFileSync(`${folder}/${name}`, "utf8"), name, noChanges);
}

export async function load(name: string | undefined, flags: LoadFlags): Promise<void> {
  if (name === undefined)
    throw new UsageError("load what? a populations file or a name (wavetank load --list)");
  const file = readFile(name, flags);
  const world = worldOf(flags);
  const stopping = stopSignal();
  const say = progressLine(flags.output === "json" || flags.bystanders === true);
  // Timers of the Host do not keep the process alive.
  const alive = setInterval(() => undefined, 60_000);
  try {
    await withFixtures(world, file, { flags, signal: stopping.signal, say });
  } finally {
    clearInterval(alive);
    stopping.release();
    say("");
  }
}

interface Run {
  readonly flags: LoadFlags;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

async function withFixtures(world: FleetWorld, file: PopulationFile, run: Run): Promise<void> {
  const { flags, signal, say } = run;
  const fixtures = new Fixtures(world, file.prepare, ({ done, total }) => {
    if (done % 10 === 0 || done === total) say(`objects ${done}/${total}`);
  });
  try {
    if (flags.prepare && flags.bystanders !== true)
      await serverErrors(flags, fixtures.create(signal));
    if (flags.prepareOnly !== true && !signal.aborted) await runFleet(world, file, run);
    if (flags.cleanup === true && flags.bystanders !== true) {
      say("cleaning up");
      await serverErrors(flags, fixtures.remove(new AbortController().signal));
    } else if (fixtures.madeCount > 0 && flags.output !== "json") {
      console.log(keptText({ made: fixtures.madeCount, found: fixtures.foundCount }));
    }
  } finally {
    fixtures.close();
  }
}

async function runFleet(
  world: FleetWorld,
  file: PopulationFile,
  { flags, signal, say }: Run,
): Promise<void> {
  const { storm, bystanders } = split(file);
  const limits = { durationMs: flags.duration, requestsMax: flags.maxRequests };
  if (flags.bystanders === true) {
    const watching = { ...file, populations: bystanders };
    return runForParent(new Fleet(world, watching, { ...limits, durationMs: bystanderMs }));
  }
  // Where nothing storms there is nothing to be kept apart from.
  const apart = storm.length > 0 && bystanders.length > 0;
  const child = apart ? await startBystanders() : undefined;
  const fleet = new Fleet(world, apart ? { ...file, populations: storm } : file, limits);
  signal.addEventListener("abort", () => fleet.stop(), { once: true });
  const progress = setInterval(() => say(progressText(fleet.report())), progressMs);
  let report: FleetReport;
  try {
    report = await fleet.run();
  } finally {
    clearInterval(progress);
    say("");
  }
  const beside = await child?.stop();
  const populations = [...report.populations, ...(beside?.populations ?? [])];
  const whole = await withFlowNames({ ...report, populations }, flags);
  console.log(flags.output === "json" ? JSON.stringify(whole) : reportText(whole));
}

/** Where the server still has the FlowSchemas, and tells. */
async function withFlowNames(report: FleetReport, flags: LoadFlags): Promise<FleetReport> {
  const server = connectTo(flags, "wavetank-load");
  try {
    const schemas = await flowNames(server, "flowschemas");
    const levels = await flowNames(server, "prioritylevelconfigurations");
    const named = (flow: FlowReport): FlowReport => ({
      ...flow,
      flowSchema: schemas.get(flow.flowSchemaUid) ?? "",
      priorityLevel: levels.get(flow.priorityLevelUid) ?? "",
    });
    const populations = report.populations.map((one) => ({ ...one, flows: one.flows.map(named) }));
    return { ...report, populations };
  } finally {
    server.close();
  }
}

function split(file: PopulationFile): Record<"storm" | "bystanders", readonly Population[]> {
  const isBystander = ({ behaviour }: Population): boolean => behaviour.kind === "bystander";
  return {
    storm: file.populations.filter((population) => !isBystander(population)),
    bystanders: file.populations.filter(isBystander),
  };
}

function readFile(name: string, flags: LoadFlags): PopulationFile {
  const shipped = `${shippedFolder("populations")}/${name}.yaml`;
  const text = readNamed(name, shipped, "wavetank load --list has those");
  const changes = { set: flags.set, scale: flags.scale };
  return userFile(() => parsePopulationFile(text, name, changes));
}

function worldOf(flags: LoadFlags): FleetWorld {
  const credentials = readCredentials(flags);
  const trust = tlsTrust(credentials);
  const real = createNodeHost("silent", () => undefined);
  const host: Host =
    flags.seed === undefined ? real : { ...real, random: createSeededRandom(flags.seed) };
  return impersonatingWorld(host, (protocol) =>
    protocol === "http1"
      ? createHttp1Transport(credentials, trust)
      : createHttpsTransport(credentials, trust),
  );
}

/** What stands in the way of preparing is the user's to mend. */
async function serverErrors(flags: LoadFlags, work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (error instanceof AbortedError) return;
    if (error instanceof ConnectionError) {
      const why = error.refused
        ? `no server answers where ${flags.kubeconfig} says; start one with: wavetank up`
        : "the connection to the server broke while objects were made";
      throw new UsageError(`${why} (${error.message})`, { cause: error });
    }
    if (error instanceof StatusError)
      throw new UsageError(`the server refused to prepare: ${error.message}`, { cause: error });
    throw error;
  }
}

interface Stopping {
  readonly signal: AbortSignal;
  release(): void;
}

function stopSignal(): Stopping {
  const controller = new AbortController();
  const stop = (signal: NodeJS.Signals): void => {
    if (controller.signal.aborted) process.exit(signal === "SIGINT" ? 130 : 143);
    controller.abort();
  };
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  return {
    signal: controller.signal,
    release() {
      process.off("SIGINT", stop);
      process.off("SIGTERM", stop);
    },
  };
}

/** One line on a terminal's stderr, overwritten; nothing elsewhere. */
function progressLine(quiet: boolean): (line: string) => void {
  if (quiet || !process.stderr.isTTY) return () => undefined;
  return (line) => {
    const width = process.stderr.columns;
    process.stderr.write(`\r\u001b[K${line.slice(0, width - 1)}`);
  };
}
