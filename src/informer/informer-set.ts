// The informers of one component: one a resource, whoever asks for it (upstream: SharedInformerFactory).
import type { ResourceTypes } from "../api/types/resources.ts";
import type { Client, ResourceName } from "../client/client.ts";
import type { ApiObject } from "../client/served-object.ts";
import type { Host } from "../host/host.ts";
import { type Index, byNamespace } from "./index-functions.ts";
import { Informer } from "./informer.ts";
import type { ReflectorProfile } from "./reflector-profile.ts";

export interface InformerSetOptions {
  readonly profile: ReflectorProfile;
  /** Deep-freeze what the caches hold; for tests and simulation. */
  readonly freeze: boolean;
}

export class InformerSet {
  readonly #host: Host;
  readonly #client: Client;
  readonly #options: InformerSetOptions;
  readonly #informers = new Map<ResourceName, Informer<ApiObject>>();
  #started = false;

  constructor(host: Host, client: Client, options: InformerSetOptions) {
    this.#host = host;
    this.#client = client;
    this.#options = options;
  }

  /** All namespaces, indexed by namespace and by `indexes`. The same informer for everyone. */
  of<N extends ResourceName>(
    name: N,
    indexes: readonly Index<ResourceTypes[N]>[] = [],
  ): Informer<ResourceTypes[N]> {
    const known = this.#informers.get(name) as unknown as Informer<ResourceTypes[N]> | undefined;
    if (known !== undefined) {
      for (const index of indexes) known.addIndex(index);
      return known;
    }
    const informer = new Informer<ResourceTypes[N]>(this.#host, {
      resource: this.#client.resource(name),
      selection: {},
      indexes: [byNamespace, ...indexes],
      ...this.#options,
    });
    this.#informers.set(name, informer as unknown as Informer<ApiObject>);
    if (this.#started) informer.start();
    return informer;
  }

  /** Starts those that were asked for, and from now on each when it is asked for. */
  start(): void {
    this.#started = true;
    for (const informer of this.#informers.values()) informer.start();
  }

  async whenSynced(signal?: AbortSignal): Promise<void> {
    await Promise.all([...this.#informers.values()].map((one) => one.whenSynced(signal)));
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#informers.values()].map((one) => one.stop()));
  }
}
