// How many pods the owners of some pods want, each owner counted once: a ReplicaSet's Deployment instead of itself, and
// for kinds that are not built in whatever their scale subresource says.
import type { Pod } from "../../api/types/core-v1.ts";
import type { OwnerReference } from "../../api/types/meta-v1.ts";
import type { Client } from "../../client/client.ts";
import { reasonOf } from "../../client/reason.ts";
import type { ApiObject, Served } from "../../client/served-object.ts";
import { controllerOf } from "../../informer/index-functions.ts";
import type { InformerSet } from "../../informer/informer-set.ts";
import type { Lister } from "../../informer/indexer.ts";

export interface ExpectedScale {
  readonly count: number;
  /** Names of pods without a controller, which nobody can count on. */
  readonly unmanaged: readonly string[];
}

interface Scaled extends ApiObject {
  readonly spec?: { readonly replicas?: number };
}

/** Throws an Error with the text that users see when a pod's owner cannot be found. */
export class ScaleFinder {
  readonly #client: Client;
  readonly #builtIn: ReadonlyMap<string, Lister<Scaled>>;

  constructor(client: Client, informers: InformerSet) {
    this.#client = client;
    this.#builtIn = new Map<string, Lister<Scaled>>([
      ["Deployment", informers.of("deployments.apps").lister],
      ["ReplicaSet", informers.of("replicasets.apps").lister],
      ["StatefulSet", informers.of("statefulsets.apps").lister],
      ["ReplicationController", informers.of("replicationcontrollers").lister],
    ]);
  }

  async of(pods: readonly Served<Pod>[]): Promise<ExpectedScale> {
    const scales = new Map<string, number>();
    const unmanaged: string[] = [];
    for (const pod of pods) {
      const owner = controllerOf(pod);
      if (owner === undefined) {
        unmanaged.push(pod.metadata.name);
        continue;
      }
      if (scales.has(owner.uid)) continue;
      const found = await this.#scaleOf(pod.metadata.namespace!, owner);
      if (found === undefined)
        throw new Error(`found no controllers for pod ${JSON.stringify(pod.metadata.name)}`);
      scales.set(owner.uid, 0).set(found.uid, found.replicas);
    }
    return { count: [...scales.values()].reduce((sum, one) => sum + one, 0), unmanaged };
  }

  async #scaleOf(
    namespace: string,
    owner: OwnerReference,
  ): Promise<{ readonly uid: string; readonly replicas: number } | undefined> {
    const lister = isBuiltIn(owner) ? this.#builtIn.get(owner.kind) : undefined;
    if (lister === undefined) return this.#askScale(namespace, owner);
    const object = lister.find(`${namespace}/${owner.name}`);
    if (object?.metadata.uid !== owner.uid) return undefined;
    const above = owner.kind === "ReplicaSet" ? controllerOf(object) : undefined;
    if (above?.kind === "Deployment") return this.#scaleOf(namespace, above);
    return { uid: owner.uid, replicas: object.spec?.replicas ?? 1 };
  }

  async #askScale(
    namespace: string,
    { apiVersion, kind, name, uid }: OwnerReference,
  ): Promise<{ readonly uid: string; readonly replicas: number } | undefined> {
    const [group, version] = apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion];
    const path = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
    try {
      const found = await this.#client.request({ method: "GET", path });
      const { resources } = found as { resources: { name: string; kind: string }[] };
      const resource = resources.find((one) => one.kind === kind && !one.name.includes("/"))?.name;
      if (resource === undefined) return undefined;
      const address = { group: group!, version: version!, resource, kind, namespaced: true };
      const scale = await this.#client.dynamic(address).getScale({ namespace, name });
      if (scale.metadata.uid !== uid) return undefined;
      return { uid, replicas: scale.spec?.replicas ?? 0 };
    } catch (error) {
      if (reasonOf(error) === "NotFound") return undefined;
      throw error;
    }
  }
}

function isBuiltIn({ apiVersion, kind }: OwnerReference): boolean {
  return kind === "ReplicationController" ? apiVersion === "v1" : apiVersion.startsWith("apps/");
}
