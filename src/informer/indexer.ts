// One resource as last seen: objects by key, and by whatever indexes were asked for. Readers share the objects, so none
// may change them; where `freeze` is on (tests, simulation) an attempt throws.
import { type LabelSelector, matchesLabels } from "../api/meta/label-selector.ts";
import { type ApiObject, type Served, keyOf } from "../client/served-object.ts";
import { assert } from "../std/assert.ts";
import { type Index, byNamespace } from "./index-functions.ts";

/** The reading side. */
export interface Lister<T extends ApiObject> {
  readonly size: number;
  /** `namespace/name`, or `name`. */
  find(key: string): Readonly<Served<T>> | undefined;
  /** Objects in no particular order. */
  list(): Readonly<Served<T>>[];
  /** `namespace` needs the index byNamespace. */
  select(namespace: string | undefined, selector: LabelSelector): Readonly<Served<T>>[];
  /** The index must be one the informer keeps. */
  by(index: Index<T>, value: string): Readonly<Served<T>>[];
  /** How many `by` would find. */
  count(index: Index<T>, value: string): number;
}

type Buckets<T extends ApiObject> = Map<string, Map<string, Served<T>>>;

export class Indexer<T extends ApiObject> implements Lister<T> {
  readonly #objects = new Map<string, Served<T>>();
  readonly #indexes = new Map<string, { readonly index: Index<T>; readonly buckets: Buckets<T> }>();
  readonly #freeze: boolean;

  constructor(indexes: readonly Index<T>[], freeze: boolean) {
    this.#freeze = freeze;
    for (const index of indexes) this.addIndex(index);
  }

  get size(): number {
    return this.#objects.size;
  }

  find(key: string): Readonly<Served<T>> | undefined {
    return this.#objects.get(key);
  }

  list(): Readonly<Served<T>>[] {
    return [...this.#objects.values()];
  }

  select(namespace: string | undefined, selector: LabelSelector): Readonly<Served<T>>[] {
    const all = namespace === undefined ? this.list() : this.by(byNamespace, namespace);
    return all.filter(({ metadata }) => matchesLabels(selector, metadata.labels));
  }

  by(index: Index<T>, value: string): Readonly<Served<T>>[] {
    return [...(this.#buckets(index).get(value)?.values() ?? [])];
  }

  count(index: Index<T>, value: string): number {
    return this.#buckets(index).get(value)?.size ?? 0;
  }

  keys(): IterableIterator<string> {
    return this.#objects.keys();
  }

  /** Also finds what is there already. An index that is kept already stays. */
  addIndex(index: Index<T>): void {
    if (this.#indexes.has(index.name)) return;
    const buckets: Buckets<T> = new Map();
    this.#indexes.set(index.name, { index, buckets });
    for (const [key, object] of this.#objects) insert(index, buckets, key, object);
  }

  #buckets(index: Index<T>): Buckets<T> {
    const kept = this.#indexes.get(index.name);
    assert(kept !== undefined, `index ${index.name} is not kept`);
    return kept.buckets;
  }

  put(object: Served<T>): void {
    const key = keyOf(object);
    this.remove(key);
    if (this.#freeze) deepFreeze(object);
    this.#objects.set(key, object);
    for (const { index, buckets } of this.#indexes.values()) insert(index, buckets, key, object);
  }

  remove(key: string): void {
    const object = this.#objects.get(key);
    if (object === undefined) return;
    this.#objects.delete(key);
    for (const { index, buckets } of this.#indexes.values())
      for (const value of index.valuesOf(object)) {
        const bucket = buckets.get(value);
        bucket?.delete(key);
        if (bucket?.size === 0) buckets.delete(value);
      }
  }
}

function insert<T extends ApiObject>(
  index: Index<T>,
  buckets: Buckets<T>,
  key: string,
  object: Served<T>,
): void {
  for (const value of index.valuesOf(object)) {
    const bucket = buckets.get(value);
    if (bucket === undefined) buckets.set(value, new Map([[key, object]]));
    else bucket.set(key, object);
  }
}

function deepFreeze(value: unknown): void {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const child of Object.values(value)) deepFreeze(child);
}
