// Which resources the collector looks at, and their informers: all that can be listed, watched and deleted, as discovery
// tells; looked up again now and then, because custom resources come and go.
import { addressOf, type Client, type ResourceName } from "../../client/client.ts";
import { type DiscoveredResource, discoverResources } from "../../client/discovery.ts";
import type { ApiObject } from "../../client/served-object.ts";
import { abortable } from "../../client/waiting.ts";
import { qualified } from "../../api/meta/errors.ts";
import { schema } from "../../api/schema/schema.ts";
import type { Cancel, Host } from "../../host/host.ts";
import { type Change, Informer } from "../../informer/informer.ts";
import type { InformerSet } from "../../informer/informer-set.ts";
import { clientGoProfile } from "../../informer/reflector-profile.ts";

/** What upstream ignores by default: events belong to nobody and are many. */
const ignored = new Set(["events", "events.events.k8s.io"]);
const needed = ["list", "watch", "delete"];

export interface MonitorSink {
  change(change: Change<ApiObject>, resource: DiscoveredResource): void;
}

interface Monitor {
  readonly informer: Informer<ApiObject>;
  readonly resource: DiscoveredResource;
  /** Shared informers are ended by whoever made them. */
  readonly own: boolean;
  readonly cancel: Cancel;
}

const builtIn = new Set(schema.resources.map(({ group, resource }) => qualified(group, resource)));

export class Monitors {
  readonly #host: Host;
  readonly #client: Client;
  readonly #informers: InformerSet;
  readonly #sink: MonitorSink;
  readonly #monitors = new Map<string, Monitor>();
  /** `apps/v1 Deployment` -> the resource of that kind. */
  readonly #kinds = new Map<string, DiscoveredResource>();

  constructor(host: Host, parts: { client: Client; informers: InformerSet; sink: MonitorSink }) {
    this.#host = host;
    this.#client = parts.client;
    this.#informers = parts.informers;
    this.#sink = parts.sink;
  }

  /** By group and kind, at whatever version. */
  resourceOfKind(apiVersion: string, kind: string): DiscoveredResource | undefined {
    return this.#kinds.get(kindKey(groupOf(apiVersion), kind));
  }

  /** Resolves when all there is of every resource was told to the sink. */
  async refresh(signal: AbortSignal): Promise<void> {
    const { resources, stale } = await abortable(discoverResources(this.#client), signal);
    this.#kinds.clear();
    for (const one of resources) this.#kinds.set(kindKey(one.group, one.kind), one);
    const wanted = new Map(
      resources
        .filter(({ verbs }) => needed.every((verb) => verbs.includes(verb)))
        .map((one) => [qualified(one.group, one.resource), one] as const)
        .filter(([name]) => !ignored.has(name)),
    );
    for (const [name, resource] of wanted)
      if (!this.#monitors.has(name)) this.#monitors.set(name, this.#start(name, resource));
    // What a silent server has is not known to be gone.
    if (stale.length === 0)
      for (const [name, monitor] of this.#monitors)
        if (!wanted.has(name)) {
          this.#monitors.delete(name);
          await end(monitor);
        }
    const all = [...this.#monitors.values()].map(({ informer }) => informer.whenSynced());
    await abortable(Promise.all(all), signal);
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#monitors.values()].map(end));
  }

  #start(name: string, resource: DiscoveredResource): Monitor {
    const own = !isBuiltIn(name, resource);
    const informer = own
      ? new Informer<ApiObject>(this.#host, {
          resource: this.#client.dynamic(resource),
          selection: {},
          indexes: [],
          profile: clientGoProfile,
          freeze: false,
        })
      : (this.#informers.of(name as ResourceName) as unknown as Informer<ApiObject>);
    const cancel = informer.addHandler((change) => this.#sink.change(change, resource));
    if (own) informer.start();
    return { informer, resource, own, cancel };
  }
}

async function end({ informer, own, cancel }: Monitor): Promise<void> {
  cancel();
  if (own) await informer.stop();
}

function isBuiltIn(name: string, { version }: DiscoveredResource): boolean {
  return builtIn.has(name) && addressOf(name as ResourceName).version === version;
}

function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf("/");
  return slash < 0 ? "" : apiVersion.slice(0, slash);
}

function kindKey(group: string, kind: string): string {
  return `${group} ${kind}`;
}
