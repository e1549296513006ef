// A resource served in another version than it is stored in (events.k8s.io, autoscaling/v1): the same objects, converted
// on the way in and out, so that the server sees only the version it asked for.
import { encodeJson } from "../../api/codec/encode-json.ts";
import { fromStorage, toStorage } from "../../api/conversion/conversion.ts";
import { applyDefaults } from "../../api/defaults/defaults.ts";
import { formatFieldSelector, parseFieldSelector } from "../../api/meta/field-selector.ts";
import type { ListOptions } from "../../api/meta/list-options.ts";
import type { KubeObject } from "../../api/object.ts";
import type { ResourceSchema } from "../../api/schema/schema.ts";
import type { DeleteOptions, Status } from "../../api/types/meta-v1.ts";
import type {
  CachedObject,
  WatchEnd,
  Watcher,
  WatchItem,
} from "../../watchcache/resource-cache.ts";
import { type FieldTable, selectableField } from "../fields.ts";
import type {
  DeleteCall,
  Deleted,
  ObjectList,
  ObjectRead,
  ResourceRegistry,
  SubresourceCreateCall,
  UpdateCall,
  WriteCall,
  Written,
} from "../registry.ts";
import { parseObject } from "../../api/codec/parse-object.ts";

export interface ServedFields {
  /** What selectors may name in this version. */
  readonly table: FieldTable;
  /** The stored version's name for a field. */
  storedName(field: string): string;
}

export class ConvertedRegistry implements ResourceRegistry {
  readonly resource: ResourceSchema;
  readonly #stored: ResourceRegistry;
  readonly #fields: ServedFields;

  constructor(resource: ResourceSchema, stored: ResourceRegistry, fields: ServedFields) {
    this.resource = resource;
    this.#stored = stored;
    this.#fields = fields;
  }

  async get(namespace: string, name: string, resourceVersion: string): Promise<ObjectRead> {
    const { object, cost } = await this.#stored.get(namespace, name, resourceVersion);
    return { object: this.#out(object), cost };
  }

  getScale(namespace: string, name: string, resourceVersion: string): Promise<ObjectRead> {
    return this.#stored.getScale(namespace, name, resourceVersion);
  }

  async list(namespace: string, options: ListOptions): Promise<ObjectList> {
    const list = await this.#stored.list(namespace, this.#options(options));
    return { ...list, items: this.#items(list.items) };
  }

  async watch(namespace: string, options: ListOptions, endsAt: number): Promise<Watcher> {
    const watcher = await this.#stored.watch(namespace, this.#options(options), endsAt);
    return {
      next: async () => this.#watched(await watcher.next()),
      close: () => watcher.close(),
      onceInitialised: (done) => watcher.onceInitialised(done),
    };
  }

  async create(object: KubeObject, call: WriteCall): Promise<Written> {
    return this.#written(await this.#stored.create(this.#in(object), call));
  }

  createSubresource(object: KubeObject, call: SubresourceCreateCall): Promise<Status> {
    return this.#stored.createSubresource(object, call);
  }

  async update(call: UpdateCall): Promise<Written> {
    const written = await this.#stored.update({
      ...call,
      change: (current) => this.#in(call.change(current && (() => this.#served(current())))),
    });
    return this.#written(written);
  }

  async delete(call: DeleteCall): Promise<Deleted> {
    const deleted = await this.#stored.delete(call);
    return {
      ...deleted,
      bytes: this.#convert(deleted.bytes),
      object: this.#served({ ...deleted.object }),
    };
  }

  async deleteCollection(
    call: WriteCall,
    options: DeleteOptions,
    selection: ListOptions,
  ): Promise<ObjectList> {
    const list = await this.#stored.deleteCollection(call, options, this.#options(selection));
    return { ...list, items: this.#items(list.items) };
  }

  /** This version's own defaults count before the stored one's. */
  #in(object: KubeObject): KubeObject {
    applyDefaults(this.resource.type, object);
    return toStorage(this.resource, object);
  }

  #served(object: KubeObject): KubeObject {
    return fromStorage(this.resource, object);
  }

  #convert(bytes: Uint8Array): Uint8Array {
    return encodeJson(this.resource.type, this.#served(parseObject(bytes)));
  }

  #out(object: CachedObject): CachedObject {
    return { ...object, bytes: this.#convert(object.bytes) };
  }

  #written(written: Written): Written {
    return { ...written, bytes: this.#convert(written.bytes) };
  }

  *#items(items: Iterable<CachedObject>): Iterable<CachedObject> {
    for (const item of items) yield this.#out(item);
  }

  #watched(items: readonly WatchItem[] | WatchEnd): readonly WatchItem[] | WatchEnd {
    if ("end" in items) return items;
    return items.map((item) =>
      item.type === "BOOKMARK" ? item : { ...item, object: this.#out(item.object) },
    );
  }

  #options(options: ListOptions): ListOptions {
    if (options.fieldSelector === "") return options;
    const terms = parseFieldSelector(options.fieldSelector).map(({ field, operator, value }) => {
      const name = selectableField(this.#fields.table, field);
      return { field: this.#fields.storedName(name), operator, value };
    });
    return { ...options, fieldSelector: formatFieldSelector(terms) };
  }
}
