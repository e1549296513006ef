// A whole control plane on declared machines, under one seeded clock: masters with etcd and API server each, and the
// network to them. It only stands there; what lives in it is put in by a rehearsal.
import { simulatedOptions } from "../../cluster/simulated-options.ts";
import { Ledger } from "../../accounting/ledger/ledger.ts";
import { Client } from "../../client/client.ts";
import { type Identity, userIdentity } from "../../client/identity.ts";
import type { ControlPlaneOptions } from "../../cluster/control-plane.ts";
import type { Engine } from "../../cluster/simulated-control-plane.ts";
import { Driver } from "../../host/simulated/driver.ts";
import { type SimulatedHost, createSimulatedHost } from "../../host/simulated/simulated-host.ts";
import { createMemoryStore } from "../../storage/memory/memory-store.ts";
import { type CostProfile, megabyte } from "../cost-profile.ts";
import { Machine, type MachineSize } from "../machine/machine.ts";
import { type SupervisorLaw, kubeletBackoff } from "../machine/process.ts";
import { ApiServerProcess } from "./api-server.ts";
import { EtcdCluster } from "./etcd-cluster.ts";
import { kubeadmProbe, startLivenessProbe } from "./liveness.ts";
import { Network, type NetworkLaw } from "./network.ts";

export interface Topology {
  readonly masters: number;
  readonly machine: MachineSize;
  readonly network: NetworkLaw;
  readonly costs: CostProfile;
  readonly etcdBaseBytes: number;
  readonly etcdQuotaBytes: number;
  readonly apiServerBaseBytes: number;
  readonly livenessProbe: boolean;
  /** What differs from the usual. */
  readonly options: Partial<ControlPlaneOptions>;
}

const bootMsMax = 600_000;

export class World {
  readonly host: SimulatedHost;
  readonly driver: Driver;
  readonly machines: readonly Machine[];
  readonly etcd: EtcdCluster;
  readonly servers: readonly ApiServerProcess[];
  readonly network: Network;
  readonly administrator: Identity;
  readonly #topology: Topology;
  /** Of all servers together; it outlives them. */
  readonly ledger: Ledger;

  constructor(seed: number, engine: Engine, topology: Topology) {
    const { costs, machine, masters } = topology;
    this.#topology = topology;
    this.host = createSimulatedHost(seed, engine.digest);
    const { host } = this;
    this.administrator = userIdentity(host.digest, "kubernetes-admin", ["system:masters"]);
    this.ledger = new Ledger(host.clock);
    this.driver = new Driver(host.clock, engine.drain);
    this.machines = Array.from(
      { length: masters },
      (_, index) => new Machine(host, `master-${index + 1}`, machine),
    );
    this.etcd = new EtcdCluster(host, createMemoryStore(host), {
      machines: this.machines,
      law: lawOf(2_000, topology.etcdBaseBytes),
      costs,
      quotaBytes: topology.etcdQuotaBytes,
    });
    const shared = {
      ...simulatedOptions(host),
      ledger: this.ledger,
      sharedStore: true,
      controllersBeside: true,
    };
    this.servers = this.machines.map(
      (at) =>
        new ApiServerProcess(host, {
          machine: at,
          etcd: this.etcd,
          law: lawOf(5_000, topology.apiServerBaseBytes),
          costs,
          options: { ...shared, hostname: at.name, ...topology.options },
        }),
    );
    this.network = new Network(host, this.servers, topology.network);
    this.network.onExchange(({ request, status, server }) => {
      host.fold(`${server} ${request.method} ${request.target} ${status}`);
      return undefined;
    });
  }

  /** Resolves, on the driver, when every API server is ready. */
  async boot(): Promise<void> {
    this.etcd.start();
    for (const server of this.servers) {
      server.process.start();
      if (this.#topology.livenessProbe) startLivenessProbe(this.host, server, kubeadmProbe);
    }
    await this.driver.until(() => this.servers.every(({ ready }) => ready), bootMsMax);
  }

  /** An administrator behind the load balancer, without a rate limit. */
  admin(userAgent: string): Client {
    return new Client(this.host, this.network.transport(userAgent), {
      userAgent,
      identity: this.administrator,
      rateLimit: undefined,
    });
  }
}

function lawOf(startMs: number, baseBytes: number): SupervisorLaw {
  return { ...kubeletBackoff, startMs, baseBytes };
}

/** Of machines that are declared in GiB. */
export function gibibytes(count: number): number {
  return count * 1_073.741_824 * megabyte;
}
