// One stored resource: the verbs of ResourceRegistry over its strategy, its keys in the store and its watch cache.
import type { ListOptions } from "../../api/meta/list-options.ts";
import { noSuchResource } from "../../api/meta/errors.ts";
import type { KubeObject } from "../../api/object.ts";
import type { ResourceSchema } from "../../api/schema/schema.ts";
import type { DeleteOptions, Status } from "../../api/types/meta-v1.ts";
import type { Watcher } from "../../watchcache/resource-cache.ts";
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
import { storeError } from "../store-errors.ts";
import { createObject } from "./create.ts";
import { deleteObject } from "./delete.ts";
import { deleteCollection } from "./delete-collection.ts";
import { getObject, listObjects, watchObjects } from "./read.ts";
import type { RegistryParts } from "./registry-parts.ts";
import { scaleBytes, updateScale } from "./scale.ts";
import { updateObject } from "./update.ts";

/** What a POST to a subresource does. */
export type SubresourceAction = (
  object: KubeObject,
  call: SubresourceCreateCall,
) => Promise<Status>;

export class GenericRegistry implements ResourceRegistry {
  readonly resource: ResourceSchema;
  readonly #parts: RegistryParts;
  readonly #actions: Readonly<Record<string, SubresourceAction>>;

  constructor(parts: RegistryParts, actions: Readonly<Record<string, SubresourceAction>>) {
    this.resource = parts.resource;
    this.#parts = parts;
    this.#actions = actions;
  }

  get(namespace: string, name: string, resourceVersion: string): Promise<ObjectRead> {
    return translated(() => getObject(this.#parts, { namespace, name }, resourceVersion));
  }

  async getScale(namespace: string, name: string, resourceVersion: string): Promise<ObjectRead> {
    if (!this.#has("scale")) throw noSuchResource();
    const { object, cost } = await this.get(namespace, name, resourceVersion);
    return { object: { ...object, bytes: scaleBytes(object.bytes) }, cost };
  }

  list(namespace: string, options: ListOptions): Promise<ObjectList> {
    return translated(() => listObjects(this.#parts, namespace, options));
  }

  watch(namespace: string, options: ListOptions, endsAt: number): Promise<Watcher> {
    return translated(() => watchObjects(this.#parts, { namespace, options, endsAt }));
  }

  create(object: KubeObject, call: WriteCall): Promise<Written> {
    return translated(() => createObject(this.#parts, object, call));
  }

  async createSubresource(object: KubeObject, call: SubresourceCreateCall): Promise<Status> {
    const action = Object.hasOwn(this.#actions, call.subresource)
      ? this.#actions[call.subresource]
      : undefined;
    if (action === undefined) throw noSuchResource();
    return translated(() => action(object, call));
  }

  update(call: UpdateCall): Promise<Written> {
    return translated(() => {
      if (call.subresource !== "" && !this.#has(call.subresource)) throw noSuchResource();
      const update = call.subresource === "scale" ? updateScale : updateObject;
      return update(this.#parts, call);
    });
  }

  delete(call: DeleteCall): Promise<Deleted> {
    return translated(() => deleteObject(this.#parts, call));
  }

  deleteCollection(
    call: WriteCall,
    options: DeleteOptions,
    selection: ListOptions,
  ): Promise<ObjectList> {
    return translated(() => deleteCollection(this.#parts, call, { options, selection }));
  }

  #has(subresource: string): boolean {
    return this.resource.subresources.some(({ name }) => name === subresource);
  }
}

/** What the store throws leaves as a StatusError. */
async function translated<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw storeError(error);
  }
}
