// An ObjectReader over objects held in a test's hand: the seam's simplest implementation, for the tests of access.
import type { KubeObject } from "../api/object.ts";
import type { ObjectReader } from "./object-reader.ts";

export class HeldObjects implements ObjectReader {
  readonly #objects = new Map<string, Map<string, KubeObject>>();
  readonly #revisions = new Map<string, number>();
  /** Objects that only a linearizable read sees, as on a cache that lags. */
  readonly #unseen = new Map<string, KubeObject>();

  put(resource: string, ...objects: KubeObject[]): this {
    for (const object of objects) this.#of(resource).set(keyOf(object), object);
    this.#touch(resource);
    return this;
  }

  putUnseen(resource: string, object: KubeObject): this {
    this.#unseen.set(`${resource} ${keyOf(object)}`, object);
    return this;
  }

  remove(resource: string, namespace: string, name: string): void {
    this.#of(resource).delete(`${namespace}/${name}`);
    this.#touch(resource);
  }

  find(resource: string, namespace: string, name: string): KubeObject | undefined {
    return this.#of(resource).get(`${namespace}/${name}`);
  }

  findFresh(resource: string, namespace: string, name: string): Promise<KubeObject | undefined> {
    const unseen = this.#unseen.get(`${resource} ${namespace}/${name}`);
    return Promise.resolve(this.find(resource, namespace, name) ?? unseen);
  }

  list(resource: string, namespace: string): KubeObject[] {
    const all = [...this.#of(resource).values()];
    return namespace === "" ? all : all.filter((object) => object.metadata.namespace === namespace);
  }

  revision(resource: string): number {
    return this.#revisions.get(resource) ?? 0;
  }

  #of(resource: string): Map<string, KubeObject> {
    const known = this.#objects.get(resource);
    if (known !== undefined) return known;
    const made = new Map<string, KubeObject>();
    this.#objects.set(resource, made);
    return made;
  }

  #touch(resource: string): void {
    this.#revisions.set(resource, this.revision(resource) + 1);
  }
}

function keyOf(object: KubeObject): string {
  return `${object.metadata.namespace ?? ""}/${object.metadata.name ?? ""}`;
}
