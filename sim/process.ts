// A process of the client tower that can be killed between any two of its writes: the answer to the last one is lost, its
// connections break, and it starts again knowing nothing.
import type { Transport } from "../src/client/transport.ts";
import type { ComponentList } from "../src/cluster/component-list.ts";
import { startControllerManager } from "../src/cluster/controller-manager.ts";
import { newestProfile } from "../src/cluster/kubernetes-profile.ts";
import { ConnectionError, type HttpRequest } from "../src/host/http.ts";
import { scopedHost } from "../src/host/simulated/scoped-host.ts";
import type { SimulatedHost } from "../src/host/simulated/simulated-host.ts";
import type { Component } from "../src/informer/component.ts";
import { BreakingPoint, breakable } from "../src/rehearsal/world/breakable.ts";

interface Life {
  readonly manager: Component;
  readonly end: BreakingPoint;
}

export class SimProcess {
  readonly name: string;
  readonly #host: SimulatedHost;
  readonly #transport: Transport;
  readonly #components: ComponentList;
  readonly #ended: Promise<void>[] = [];
  #life: Life | undefined;
  #births = 0;
  #writes = 0;
  /** Told after each write that the server has done, before the process hears of it; may kill the process. */
  onWrite: (writes: number) => void = () => undefined;
  /** Whether the answer to a write gets lost on its way. */
  losesAnswer: () => boolean = () => false;

  constructor(
    host: SimulatedHost,
    transport: Transport,
    parts: { readonly name: string; readonly components: ComponentList },
  ) {
    this.#host = host;
    this.#transport = transport;
    this.name = parts.name;
    this.#components = parts.components;
  }

  get writes(): number {
    return this.#writes;
  }

  get deaths(): number {
    return this.#ended.length;
  }

  start(): void {
    if (this.#life !== undefined) return;
    const end = new BreakingPoint();
    const manager = startControllerManager(
      scopedHost(this.#host, `${this.name}#${this.#births++}`),
      (request) => this.#exchange(request, end),
      { components: this.#components, reflector: newestProfile.reflector, freeze: true },
    );
    this.#life = { manager, end };
  }

  kill(): void {
    const life = this.#life;
    this.#life = undefined;
    if (life === undefined) return;
    life.end.break();
    // It cannot reach anybody any more; what is left of it is only told to end.
    this.#ended.push(life.manager.stop());
  }

  /** Resolves when nothing of any of its lives is under way. */
  async gone(): Promise<void> {
    await Promise.all(this.#ended);
  }

  async #exchange(request: HttpRequest, end: BreakingPoint): ReturnType<Transport> {
    if (end.isBroken) throw new ConnectionError("connection refused", true);
    const response = await breakable(this.#transport(request), end);
    if (!isWrite(request) || response.status >= 300) return response;
    this.onWrite(++this.#writes);
    if (end.isBroken || this.losesAnswer())
      throw new ConnectionError("connection reset by peer", false);
    return response;
  }
}

/** Events and leases come and go with time, and nobody counts on them. */
function isWrite({ method, target }: HttpRequest): boolean {
  return method !== "GET" && !/\/(events|leases|[a-z]+reviews)\b/.test(target);
}
