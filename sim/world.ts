// What a run takes place in: a store that everything committed can be read from, one API server, and the processes of a
// cluster, each of which a fault can end and start again.
import { Client } from "../src/client/client.ts";
import { userIdentity } from "../src/client/identity.ts";
import { componentsOf, diskComponents } from "../src/cluster/component-list.ts";
import { newestProfile } from "../src/cluster/kubernetes-profile.ts";
import type { Engine } from "../src/cluster/simulated-control-plane.ts";
import { Driver } from "../src/host/simulated/driver.ts";
import { type SimulatedHost, createSimulatedHost } from "../src/host/simulated/simulated-host.ts";
import { nodeFleet } from "../src/kubelet/fleet.ts";
import { createMemoryStore } from "../src/storage/memory/memory-store.ts";
import { ApiServer } from "./api-server.ts";
import { SimProcess } from "./process.ts";
import { StoredState } from "./stored-state.ts";

export const nodesCount = 4;
const bootMsMax = 60_000;
const nodesReadyMs = 15_000;

export class SimWorld {
  readonly host: SimulatedHost;
  readonly driver: Driver;
  readonly state: StoredState;
  readonly server: ApiServer;
  readonly controllers: SimProcess;
  readonly scheduler: SimProcess;
  readonly kubelets: SimProcess;
  readonly admin: Client;

  constructor(seed: number, engine: Engine) {
    this.host = createSimulatedHost(seed, engine.digest);
    this.driver = new Driver(this.host.clock, engine.drain);
    const store = createMemoryStore(this.host);
    this.state = new StoredState(store);
    this.state.onChange(({ resource, key, revision }) =>
      this.host.fold(`${revision} ${resource} ${key}`),
    );
    this.server = new ApiServer(this.host, store);
    const { transport } = this.server;
    const all = componentsOf(newestProfile);
    const isScheduler = (name: string): boolean => name === "kube-scheduler";
    const process = (name: string, components: typeof all): SimProcess =>
      new SimProcess(this.host, transport, { name, components });
    this.controllers = process("controllers", [
      ...all.filter(([name]) => !isScheduler(name)),
      ...diskComponents,
    ]);
    this.scheduler = process(
      "scheduler",
      all.filter(([name]) => isScheduler(name)),
    );
    const fleet = { nodes: nodesCount, profile: newestProfile.kubelet, lead: () => undefined };
    this.kubelets = process("kubelets", [["kubelet", nodeFleet(fleet)]]);
    this.admin = new Client(this.host, transport, {
      userAgent: "sim",
      identity: userIdentity(this.host.digest, "kubernetes-admin", ["system:masters"]),
      rateLimit: undefined,
    });
  }

  get processes(): readonly SimProcess[] {
    return [this.controllers, this.scheduler, this.kubelets];
  }

  /** Everything runs, and the nodes are ready. */
  async boot(): Promise<void> {
    await this.driver.run(this.server.start(), bootMsMax);
    for (const process of this.processes) process.start();
    await this.driver.advance(nodesReadyMs);
  }

  async end(): Promise<void> {
    for (const process of this.processes) process.kill();
    await this.driver.run(Promise.all(this.processes.map((one) => one.gone())), bootMsMax);
    this.server.crash();
  }
}
