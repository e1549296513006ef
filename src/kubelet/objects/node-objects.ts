// The Secrets and ConfigMaps of one node: which pods use which, counted, and how they are read. A pod registers when the
// node takes it and goes when it has ended; the same object used by ten pods is one object here.
import { podReferences } from "../../api/pod/references.ts";
import type { Node, Pod } from "../../api/types/core-v1.ts";
import type { Client } from "../../client/client.ts";
import type { Served } from "../../client/served-object.ts";
import type { Host } from "../../host/host.ts";
import { CacheSource } from "./cache-source.ts";
import { GetSource } from "./get-source.ts";
import type { ObjectProfile } from "./object-profile.ts";
import type { ObjectKind, ObjectName, ObjectSource, Reading } from "./object-source.ts";
import { WatchSource } from "./watch-source.ts";

/** Set by the cluster's TTL controller, in seconds. */
export const ttlAnnotation = "node.alpha.kubernetes.io/ttl";

export interface NodeObjectsParts {
  readonly client: Client;
  readonly profile: ObjectProfile;
  /** As the server has it now. */
  readonly node: () => Readonly<Node>;
}

interface Registered {
  readonly secrets: readonly ObjectName[];
  readonly configMaps: readonly ObjectName[];
}

export class NodeObjects {
  readonly #sources: Readonly<Record<ObjectKind, ObjectSource>>;
  readonly #pods = new Map<string, Registered>();

  constructor(host: Host, parts: NodeObjectsParts) {
    this.#sources = {
      secret: sourceOf(host, parts, "secret"),
      configmap: sourceOf(host, parts, "configmap"),
    };
  }

  /** Watches of Secrets and ConfigMaps that stand now. */
  get watches(): number {
    return this.#sources.secret.watches + this.#sources.configmap.watches;
  }

  /** Watches ever begun. */
  get starts(): number {
    return this.#sources.secret.starts + this.#sources.configmap.starts;
  }

  /** Twice is once: what the pod uses does not change. */
  register(pod: Served<Pod>): void {
    const { uid, namespace = "" } = pod.metadata;
    if (this.#pods.has(uid)) return;
    const { secrets, configMaps } = podReferences(pod);
    const named = (name: string): ObjectName => ({ namespace, name });
    const registered = { secrets: secrets.map(named), configMaps: configMaps.map(named) };
    this.#pods.set(uid, registered);
    for (const name of registered.secrets) this.#sources.secret.reference(name);
    for (const name of registered.configMaps) this.#sources.configmap.reference(name);
  }

  unregister(uid: string): void {
    const registered = this.#pods.get(uid);
    if (registered === undefined) return;
    this.#pods.delete(uid);
    for (const name of registered.secrets) this.#sources.secret.release(name);
    for (const name of registered.configMaps) this.#sources.configmap.release(name);
  }

  read(kind: ObjectKind, name: ObjectName): Reading | Promise<Reading> {
    return this.#sources[kind].read(name);
  }

  suspend(): void {
    this.#sources.secret.suspend();
    this.#sources.configmap.suspend();
  }

  resume(): void {
    this.#sources.secret.resume();
    this.#sources.configmap.resume();
  }

  clear(): void {
    this.#pods.clear();
    this.#sources.secret.clear();
    this.#sources.configmap.clear();
  }
}

function sourceOf(host: Host, parts: NodeObjectsParts, kind: ObjectKind): ObjectSource {
  const { client, profile, node } = parts;
  const resource = client.resource(kind === "secret" ? "secrets" : "configmaps");
  switch (profile.strategy) {
    case "Get":
      return new GetSource(resource);
    case "Cache":
      return new CacheSource(host.clock, resource, () => ttlOf(node()) ?? profile.ttlMs);
    default:
      return new WatchSource({ host, resource, kind, profile });
  }
}

function ttlOf({ metadata }: Readonly<Node>): number | undefined {
  const text = metadata.annotations?.[ttlAnnotation];
  return text !== undefined && /^-?\d+$/.test(text) ? Number(text) * 1_000 : undefined;
}
