// For tests of this folder: one resource held in a Map, with the registry's seam and none of its meaning: no admission,
// no finalizers, no history.
import { encodeJson } from "../api/codec/encode-json.ts";
import { alreadyExists, notFound, noSuchResource } from "../api/meta/errors.ts";
import type { KubeObject } from "../api/object.ts";
import type { ResourceSchema } from "../api/schema/schema.ts";
import type { Status } from "../api/types/meta-v1.ts";
import type {
  DeleteCall,
  Deleted,
  ObjectList,
  ObjectRead,
  ResourceRegistry,
  UpdateCall,
  WriteCall,
  Written,
} from "../registry/registry.ts";
import { oneFromCache } from "../api/request-cost.ts";
import type { CachedObject, WatchEnd, WatchItem, Watcher } from "../watchcache/resource-cache.ts";
import { parseObject } from "../api/codec/parse-object.ts";

export class HeldRegistry implements ResourceRegistry {
  readonly resource: ResourceSchema;
  readonly calls: WriteCall[] = [];
  readonly watchers: Set<HeldWatcher> = new Set();
  #objects = new Map<string, CachedObject>();
  #revision = 10;

  constructor(resource: ResourceSchema) {
    this.resource = resource;
  }

  async get(namespace: string, name: string): Promise<ObjectRead> {
    const found = this.#objects.get(`${namespace}/${name}`);
    if (found === undefined) throw notFound(this.#target(), name);
    return { object: found, cost: oneFromCache };
  }

  async getScale(): Promise<ObjectRead> {
    throw noSuchResource();
  }

  async createSubresource(object: KubeObject): Promise<Status> {
    return { status: "Success", message: object.kind ?? "", code: 201 };
  }

  async list(namespace: string): Promise<ObjectList> {
    const items = [...this.#objects].filter(([key]) => inNamespace(key, namespace));
    const cost = { ...oneFromCache, objectsScanned: items.length, objectsReturned: items.length };
    return { revision: this.#revision, items: items.map(([, object]) => object), cost };
  }

  async watch(): Promise<Watcher> {
    const watcher = new HeldWatcher(() => this.watchers.delete(watcher));
    this.watchers.add(watcher);
    return watcher;
  }

  async create(object: KubeObject, call: WriteCall): Promise<Written> {
    this.calls.push(call);
    const key = `${call.namespace}/${object.metadata.name ?? ""}`;
    if (this.#objects.has(key)) throw alreadyExists(this.#target(), object.metadata.name ?? "");
    return { bytes: this.#put(key, object, "ADDED").bytes, created: true };
  }

  async update(call: UpdateCall): Promise<Written> {
    this.calls.push(call);
    const key = `${call.namespace}/${call.name}`;
    const current = this.#objects.get(key);
    if (current === undefined) {
      const object = call.change(undefined);
      await call.authorizeCreate();
      return { bytes: this.#put(key, object, "ADDED").bytes, created: true };
    }
    const object = call.change(() => parseObject(current.bytes));
    return { bytes: this.#put(key, object, "MODIFIED").bytes, created: false };
  }

  async delete(call: DeleteCall): Promise<Deleted> {
    this.calls.push(call);
    const { bytes } = (await this.get(call.namespace, call.name)).object;
    this.#objects.delete(`${call.namespace}/${call.name}`);
    const object = parseObject(bytes);
    return { bytes, object, gone: true, returnsObject: this.resource.kind === "Pod" };
  }

  async deleteCollection(call: WriteCall): Promise<ObjectList> {
    this.calls.push(call);
    const list = await this.list(call.namespace);
    for (const key of this.#objects.keys())
      if (inNamespace(key, call.namespace)) this.#objects.delete(key);
    return list;
  }

  #put(key: string, object: KubeObject, type: "ADDED" | "MODIFIED"): CachedObject {
    const revision = ++this.#revision;
    const { metadata } = object;
    const stored = { ...object, metadata: { ...metadata, resourceVersion: `${revision}` } };
    const cached = { key, revision, bytes: encodeJson(this.resource.type, stored) };
    this.#objects.set(key, cached);
    for (const watcher of this.watchers) watcher.push({ type, object: cached });
    return cached;
  }

  #target(): { group: string; resource: string } {
    return { group: this.resource.group, resource: this.resource.resource };
  }
}

function inNamespace(key: string, namespace: string): boolean {
  return namespace === "" || key.startsWith(`${namespace}/`);
}

class HeldWatcher implements Watcher {
  readonly #left: () => void;
  #items: WatchItem[] = [];
  #wake: (() => void) | undefined;
  #closed = false;

  constructor(left: () => void) {
    this.#left = left;
  }

  push(item: WatchItem): void {
    this.#items.push(item);
    this.#wake?.();
  }

  async next(): Promise<readonly WatchItem[] | WatchEnd> {
    while (this.#items.length === 0 && !this.#closed)
      await new Promise<void>((resolve) => (this.#wake = resolve));
    if (this.#closed) return { end: "Closed" };
    const items = this.#items;
    this.#items = [];
    return items;
  }

  close(): void {
    this.#closed = true;
    this.#left();
    this.#wake?.();
  }

  onceInitialised(done: () => void): void {
    done();
  }
}
