// Runs the populations of a file in a world, within bounds of time and requests, and says what came of it. The one driver
// of `wavetank load` (real clock, sockets) and of rehearsals (simulated clock, the server's own handler).
import { ApiCaller } from "../client/api-caller.ts";
import type { Transport } from "../client/transport.ts";
import { AbortedError, abortable, linkedController, pause } from "../client/waiting.ts";
import type { Cancel } from "../host/host.ts";
import { assert } from "../std/assert.ts";
import { endsByItself, runBehaviour } from "./behaviour.ts";
import { clientLibraries } from "./client-library.ts";
import { Member, userOf, valuesOf } from "./member.ts";
import { PopulationMeter } from "./meter.ts";
import { meteredTransport } from "./metered-transport.ts";
import type { Population, PopulationFile } from "./population.ts";
import type { FleetOutcome, FleetReport } from "./report.ts";
import { startDelays } from "./start-law.ts";
import { whenServerWasAway } from "./server-restart.ts";
import type { FleetConnection, FleetWorld } from "./world.ts";

export interface FleetLimits {
  readonly durationMs: number;
  /** Attempts of all members together. */
  readonly requestsMax: number;
}

export class Fleet {
  readonly #world: FleetWorld;
  readonly #file: PopulationFile;
  readonly #limits: FleetLimits;
  readonly #ending = new AbortController();
  readonly #meters = new Map<string, PopulationMeter>();
  #outcome: FleetOutcome = "running";
  #startedAt = 0;
  #startedWall = 0;
  #endedAt: number | undefined;
  #running: Promise<FleetReport> | undefined;

  constructor(world: FleetWorld, file: PopulationFile, limits: FleetLimits) {
    this.#world = world;
    this.#file = file;
    this.#limits = limits;
  }

  /** Resolves when the last member has ended. Starting twice is the same as once. */
  run(): Promise<FleetReport> {
    this.#running ??= this.#run();
    return this.#running;
  }

  /** Members end now; `run` resolves soon after. */
  stop(): void {
    this.#end("stopped");
  }

  /** So far. */
  report(): FleetReport {
    const now = this.#endedAt ?? this.#world.host.clock.monotonic();
    return {
      name: this.#file.name,
      startedAt: new Date(this.#startedWall).toISOString(),
      durationMs: now - this.#startedAt,
      outcome: this.#outcome,
      populations: this.#file.populations.flatMap((population) => {
        const { name, count, behaviour } = population;
        const meter = this.#meters.get(name);
        return meter === undefined
          ? []
          : [meter.report({ name, count, behaviour: behaviour.kind }, now)];
      }),
    };
  }

  async #run(): Promise<FleetReport> {
    const { clock } = this.#world.host;
    this.#startedAt = clock.monotonic();
    this.#startedWall = clock.now();
    const { populations } = this.#file;
    for (const { name } of populations)
      this.#meters.set(name, new PopulationMeter(this.#startedAt));
    const cancel: Cancel = clock.after(this.#limits.durationMs, () => this.#end("time"));
    const awaited = populations.filter(({ behaviour }) => endsByItself(behaviour));
    let left = awaited.length;
    await Promise.all(
      populations.map(async (population) => {
        await this.#runPopulation(population);
        if (awaited.includes(population) && --left === 0) this.#end("completed");
      }),
    );
    cancel();
    this.#end("completed");
    this.#endedAt = clock.monotonic();
    return this.report();
  }

  /** The first reason stands. */
  #end(outcome: FleetOutcome): void {
    if (this.#outcome !== "running") return;
    this.#outcome = outcome;
    this.#ending.abort();
  }

  async #runPopulation(population: Population): Promise<void> {
    const { host } = this.#world;
    const { signal } = this.#ending;
    const connections = new Connections(this.#world, population);
    try {
      if (population.start.kind === "serverRestart")
        await this.#whenServerWasAway(connections.ofMember());
      const chance = host.random.stream(`fleet/${population.name}/start`);
      const delays = startDelays(population.start, population.count, chance);
      await Promise.all(
        delays.map(async (delayMs, index) => {
          if (delayMs > 0) await pause(host.clock, delayMs, signal);
          await this.#runMember(population, index, connections);
        }),
      );
    } catch (error) {
      if (!(error instanceof AbortedError)) throw error;
    } finally {
      connections.close();
    }
  }

  #whenServerWasAway({ transport }: FleetConnection): Promise<void> {
    const { signal } = this.#ending;
    const { host } = this.#world;
    const caller = new ApiCaller(host, transport, {
      userAgent: "wavetank-probe",
      identity: this.#world.identify(undefined),
      rateLimit: undefined,
      retriesMax: 0,
    });
    return abortable(whenServerWasAway(host.clock, caller, signal), signal);
  }

  async #runMember(population: Population, index: number, connections: Connections): Promise<void> {
    const meter = this.#meters.get(population.name);
    const library = clientLibraries.get(population.library);
    assert(meter !== undefined && library !== undefined, "the file was checked");
    if (this.#ending.signal.aborted) return;
    const controller = linkedController(this.#ending.signal);
    const { signal } = controller;
    const connection = connections.ofMember();
    const user = userOf(population.identity, valuesOf(population, index));
    const member = new Member(this.#world.host, {
      population,
      index,
      library,
      meter,
      transport: meteredTransport(
        this.#bounded(connection.transport),
        this.#world.host.clock,
        meter,
      ),
      identity: this.#world.identify(user),
      signal,
    });
    meter.memberStarted();
    try {
      await runBehaviour(member, population.behaviour);
      if (!signal.aborted) meter.memberEnded("finished");
    } catch (error) {
      if (!(error instanceof AbortedError)) this.#complain(population, error);
    } finally {
      controller.abort();
      connections.release(connection);
    }
  }

  #complain({ name }: Population, error: unknown): void {
    this.#meters.get(name)?.memberEnded("failed");
    this.#world.host.log.error("a member failed", { population: name, error: String(error) });
  }

  #bounded(transport: Transport): Transport {
    return (request) => {
      let started = 0;
      for (const meter of this.#meters.values()) started += meter.requestsStarted;
      if (started >= this.#limits.requestsMax) this.#end("requests");
      return transport(request);
    };
  }
}

/** One for each member, or one for all. */
class Connections {
  readonly #world: FleetWorld;
  readonly #population: Population;
  readonly #open = new Set<FleetConnection>();
  #shared: FleetConnection | undefined;

  constructor(world: FleetWorld, population: Population) {
    this.#world = world;
    this.#population = population;
  }

  ofMember(): FleetConnection {
    const { connection, protocol } = this.#population;
    if (connection === "population") return (this.#shared ??= this.#connect(protocol));
    return this.#connect(protocol);
  }

  release(connection: FleetConnection): void {
    if (connection === this.#shared) return;
    this.#open.delete(connection);
    connection.close();
  }

  close(): void {
    for (const connection of this.#open) connection.close();
    this.#open.clear();
  }

  #connect(protocol: Population["protocol"]): FleetConnection {
    const connection = this.#world.connect(protocol);
    this.#open.add(connection);
    return connection;
  }
}
