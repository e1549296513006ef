// One API server of the world: Wavetank's own, running as a process on a declared machine. Its code runs as it always
// does; what it counted is what the machine then works on, and when the process dies every connection breaks.
import type { RequestCost } from "../../api/request-cost.ts";
import type { Labour } from "../../apiserver/parts.ts";
import {
  type ControlPlane,
  type ControlPlaneOptions,
  createControlPlane,
} from "../../cluster/control-plane.ts";
import { verbOf } from "../../client/request-verb.ts";
import type { Host } from "../../host/host.ts";
import { ConnectionError, type HttpRequest, type HttpResponse } from "../../host/http.ts";
import { scopedHost } from "../../host/simulated/scoped-host.ts";
import { type ApiServerCosts, type CostProfile, megabyte } from "../cost-profile.ts";
import type { Machine } from "../machine/machine.ts";
import { type Life, Process, type SupervisorLaw } from "../machine/process.ts";
import { BreakingPoint, breakable } from "./breakable.ts";
import type { EtcdCluster } from "./etcd-cluster.ts";

export interface ApiServerParts {
  readonly machine: Machine;
  readonly etcd: EtcdCluster;
  readonly law: SupervisorLaw;
  readonly costs: CostProfile;
  readonly options: Omit<ControlPlaneOptions, "labour">;
}

interface Serving {
  readonly plane: ControlPlane;
  readonly connections: BreakingPoint;
  readonly life: Life;
}

export class ApiServerProcess {
  readonly process: Process;
  readonly #host: Host;
  readonly #parts: ApiServerParts;
  /** What answers now: nothing while it is down or starting. */
  #serving: Serving | undefined;
  #births = 0;

  constructor(host: Host, parts: ApiServerParts) {
    this.#host = host;
    this.#parts = parts;
    this.process = new Process(host, parts.machine, {
      name: `kube-apiserver/${parts.machine.name}`,
      law: parts.law,
      program: { start: (life) => this.#begin(life), end: () => this.#end() },
    });
  }

  get ready(): boolean {
    return this.#serving !== undefined;
  }

  /** Rejects with ConnectionError when nobody listens, or when the process dies before it answered. */
  async handle(request: HttpRequest): Promise<HttpResponse> {
    const serving = this.#serving;
    if (serving === undefined) throw new ConnectionError("connection refused", true);
    const response = await breakable(serving.plane.handle(request), serving.connections);
    const { apiServer } = this.#parts.costs;
    return verbOf(request.method, request.target) === "WATCH"
      ? holding(response, serving.life, apiServer.watchBytes.value)
      : encoding(response, serving.life, apiServer);
  }

  async #begin(life: Life): Promise<void> {
    const { machine, etcd, costs, options } = this.#parts;
    const host = scopedHost(this.#host, `${this.process.name}#${this.#births++}`);
    const store = etcd.viewFor({ machine, life });
    const labour = labourOf(life, costs);
    const plane = await createControlPlane(host, store, { ...options, labour });
    if (life.signal.aborted) return void plane.close();
    this.#serving = { plane, connections: new BreakingPoint(), life };
  }

  #end(): void {
    const serving = this.#serving;
    this.#serving = undefined;
    serving?.connections.break();
    void serving?.plane.close();
  }
}

/** A stream that takes memory for as long as it is open. */
function holding(response: HttpResponse, life: Life, bytes: number): HttpResponse {
  const { body } = response;
  if (typeof body !== "function") return response;
  return {
    ...response,
    body: (sink) => {
      const release = life.hold(bytes);
      return body(sink).finally(release);
    },
  };
}

/** A stream of a known end, as a LIST's: encoded as it leaves, and in memory as a whole until it has left. */
function encoding(response: HttpResponse, life: Life, costs: ApiServerCosts): HttpResponse {
  const { body } = response;
  if (typeof body !== "function") return response;
  const { encodeCopies, encodePerMegabyte } = costs;
  return {
    ...response,
    body: async (sink) => {
      const releases: (() => void)[] = [];
      const write = async (chunk: Uint8Array): Promise<void> => {
        releases.push(life.hold(chunk.length * encodeCopies.value));
        await life.work((chunk.length / megabyte) * encodePerMegabyte.value);
        await sink.write(chunk);
      };
      try {
        await body({ ...sink, signal: sink.signal, write });
      } finally {
        for (const release of releases) release();
      }
    },
  };
}

function labourOf(life: Life, { apiServer }: CostProfile): Labour {
  const work = async (ms: number): Promise<void> => {
    try {
      await life.work(ms);
    } catch {
      // The process is dead: nobody waits for this answer, and it must not look like a failure of the handler.
      await new Promise<never>(() => undefined);
    }
  };
  return {
    receive: () => work(apiServer.requestCpu.value),
    async spend(cost) {
      const release = life.hold(cost.bytesOut * apiServer.encodeCopies.value);
      try {
        await work(cpuMsOf(cost, apiServer));
      } finally {
        release();
      }
    },
  };
}

/** Beyond what any request costs. */
function cpuMsOf(cost: RequestCost, costs: CostProfile["apiServer"]): number {
  const { scanPerObject, returnPerObject, encodePerMegabyte, eventCpu, writeCpu } = costs;
  return (
    cost.storeWrites * writeCpu.value +
    cost.objectsScanned * scanPerObject.value +
    cost.objectsReturned * returnPerObject.value +
    (cost.bytesOut / megabyte) * encodePerMegabyte.value +
    cost.eventsDelivered * eventCpu.value
  );
}
