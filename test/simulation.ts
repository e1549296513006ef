// What tests need to run things on virtual time: the real engine's two gifts to a simulation, and a host with its driver.
import type { Engine } from "../src/cluster/simulated-control-plane.ts";
import { drainPromises } from "../src/host/node/drain-promises.ts";
import { createNodeHost } from "../src/host/node/node-host.ts";
import { Driver } from "../src/host/simulated/driver.ts";
import { type SimulatedHost, createSimulatedHost } from "../src/host/simulated/simulated-host.ts";

export const engine: Engine = {
  digest: createNodeHost("silent", () => {}).digest,
  drain: drainPromises,
};

export interface Simulation {
  readonly host: SimulatedHost;
  readonly driver: Driver;
}

export function simulate(seed = 1): Simulation {
  const host = createSimulatedHost(seed, engine.digest);
  return { host, driver: new Driver(host.clock, engine.drain) };
}
