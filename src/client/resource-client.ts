// The verbs of one resource. Every call is one request (or its retries after Retry-After): no cache, no conflict loop,
// no reading ahead. Refusals are StatusErrors; "not there" is a value where callers expect it (find).
import type { Scale } from "../api/types/autoscaling-v1.ts";
import type { DeleteOptions, ListMeta } from "../api/types/meta-v1.ts";
import { StatusError } from "../api/meta/errors.ts";
import type { ApiCaller, Call, QueryValue } from "./api-caller.ts";
import { reasonOf } from "./reason.ts";
import { collectionPath, objectPath } from "./resource-path.ts";
import { type ApiObject, type ObjectRef, type Served, refOf } from "./served-object.ts";
import { linkedController } from "./waiting.ts";
import { Watch } from "./watch.ts";
import { groupVersion } from "../api/codec/group-version.ts";

/** What a client needs to know of a resource to call it. */
export interface ResourceAddress {
  /** "" is the core group. */
  readonly group: string;
  readonly version: string;
  /** Plural. */
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

export interface ReadOptions {
  readonly signal?: AbortSignal;
  readonly resourceVersion?: string;
}

export interface ListOptions {
  readonly signal?: AbortSignal;
  /** Absent: all namespaces. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: "Exact" | "NotOlderThan";
  readonly limit?: number;
  readonly continue?: string;
  readonly timeoutSeconds?: number;
}

export interface WatchOptions extends ListOptions {
  readonly allowWatchBookmarks?: boolean;
  readonly sendInitialEvents?: boolean;
}

export interface WriteOptions {
  readonly signal?: AbortSignal;
  readonly dryRun?: boolean;
  readonly fieldManager?: string;
  readonly subresource?: string;
}

export type Patch =
  | { readonly type: "json"; readonly operations: readonly object[] }
  | { readonly type: "merge" | "strategic"; readonly patch: object };

export interface Page<T extends ApiObject> {
  readonly items: Served<T>[];
  readonly resourceVersion: string;
  /** "" after the last page. */
  readonly continue: string;
}

export interface DeleteCallOptions extends DeleteOptions {
  signal?: AbortSignal;
}

export class ResourceClient<T extends ApiObject> {
  readonly address: ResourceAddress;
  readonly #caller: ApiCaller;

  constructor(caller: ApiCaller, address: ResourceAddress) {
    this.#caller = caller;
    this.address = address;
  }

  get(ref: ObjectRef, options: ReadOptions = {}): Promise<Served<T>> {
    const { signal, ...query } = options;
    return this.#object({ method: "GET", path: this.#pathOf(ref), query, signal });
  }

  /** Undefined when there is no such object. */
  async find(ref: ObjectRef, options: ReadOptions = {}): Promise<Served<T> | undefined> {
    try {
      return await this.get(ref, options);
    } catch (error) {
      if (reasonOf(error) === "NotFound") return undefined;
      throw error;
    }
  }

  /** One page. client/pager.ts lists to the end. */
  async list(options: ListOptions = {}): Promise<Page<T>> {
    const { signal, namespace, ...query } = options;
    const path = this.#collection(namespace);
    return this.#page({ method: "GET", path, query, signal });
  }

  async #page(call: Call): Promise<Page<T>> {
    const answer = await this.#caller.json(call);
    const { metadata, items } = answer as { metadata: ListMeta; items?: Served<T>[] | null };
    for (const item of items ?? []) this.#name(item);
    return {
      items: items ?? [],
      resourceVersion: metadata.resourceVersion ?? "",
      continue: metadata.continue ?? "",
    };
  }

  /** Rejects when the watch is refused; a refusal with 410 is an ERROR event, wherever the server sends it. */
  async watch(options: WatchOptions = {}): Promise<Watch<T>> {
    const { signal, namespace, ...query } = options;
    const controller = linkedController(signal);
    const path = this.#collection(namespace);
    try {
      const call: Call = { method: "GET", path, query: { watch: true, ...query } };
      const response = await this.#caller.open(call, controller.signal);
      return new Watch(response.body, controller);
    } catch (error) {
      controller.abort();
      if (error instanceof StatusError && error.code === 410) return Watch.ofError(error.status);
      throw error;
    }
  }

  create(object: T, options: WriteOptions = {}): Promise<Served<T>> {
    const { namespace } = object.metadata;
    return this.#write("POST", this.#collection(namespace), { body: this.#full(object), options });
  }

  /** As `create`, for those who know what they sent: the answer is not parsed. */
  add(object: T, signal?: AbortSignal): Promise<void> {
    const path = this.#collection(object.metadata.namespace);
    return this.#caller.accepted({ method: "POST", path, body: this.#full(object), signal });
  }

  /** Replaces the object; with a resourceVersion only if it is still the newest. */
  update(object: T, options: WriteOptions = {}): Promise<Served<T>> {
    const path = this.#pathOf(refOf(object), options.subresource);
    return this.#write("PUT", path, { body: this.#full(object), options });
  }

  /** As `update`, for those who know what they sent and want its new resourceVersion: the answer is not parsed. */
  replace(object: T, signal?: AbortSignal): Promise<string> {
    const path = this.#pathOf(refOf(object));
    return this.#caller.resourceVersion({ method: "PUT", path, body: this.#full(object), signal });
  }

  /** Nobody who counts what it writes here needs to be told it: the answer is not parsed. */
  updateStatus(object: T): Promise<void> {
    const path = this.#pathOf(refOf(object), "status");
    return this.#caller.accepted({ method: "PUT", path, body: this.#full(object) });
  }

  patch(ref: ObjectRef, patch: Patch, options: WriteOptions = {}): Promise<Served<T>> {
    const body = patch.type === "json" ? patch.operations : patch.patch;
    const contentType = patchTypes[patch.type];
    const path = this.#pathOf(ref, options.subresource);
    return this.#write("PATCH", path, { body, contentType, options });
  }

  /** Resolves when the server accepted; finalizers and grace periods may keep the object for a while. */
  async delete(ref: ObjectRef, options: DeleteCallOptions = {}): Promise<void> {
    const { signal, ...body } = options;
    const path = this.#pathOf(ref);
    await this.#caller.accepted({ method: "DELETE", path, ...deleteBody(body), signal });
  }

  /** What was deleted, as it was before. With a limit only so many; `continue` of the answer leads to the rest. */
  deleteCollection(list: ListOptions, options: DeleteOptions = {}): Promise<Page<T>> {
    const { signal, namespace, ...query } = list;
    const path = this.#collection(namespace);
    return this.#page({ method: "DELETE", path, query, ...deleteBody(options), signal });
  }

  getScale(ref: ObjectRef): Promise<Served<Scale>> {
    const path = this.#pathOf(ref, "scale");
    return this.#caller.json({ method: "GET", path }) as Promise<Served<Scale>>;
  }

  updateScale(scale: Scale): Promise<Served<Scale>> {
    const path = this.#pathOf(refOf(scale), "scale");
    return this.#caller.json({ method: "PUT", path, body: scale }) as Promise<Served<Scale>>;
  }

  /** POST to a subresource: `binding`, `eviction`. What it answers besides that it agreed is nobody's concern. */
  createSubresource(ref: ObjectRef, subresource: string, body: ApiObject): Promise<void> {
    return this.#caller.accepted({ method: "POST", path: this.#pathOf(ref, subresource), body });
  }

  #write(
    method: Call["method"],
    path: string,
    content: { body: object; contentType?: string; options: WriteOptions },
  ): Promise<Served<T>> {
    const { signal, dryRun, fieldManager } = content.options;
    const query: Record<string, QueryValue> = { fieldManager, dryRun: dryRun ? "All" : undefined };
    const { body, contentType = "application/json" } = content;
    return this.#object({ method, path, query, body, contentType, signal });
  }

  async #object(call: Call): Promise<Served<T>> {
    return this.#name((await this.#caller.json(call)) as Served<T>);
  }

  /** Items of lists come without them, and everyone who refers to an object needs them. */
  #name(object: Served<T>): Served<T> {
    object.kind ??= this.address.kind;
    object.apiVersion ??= groupVersion(this.address);
    return object;
  }

  #full(object: T): T {
    const { kind } = this.address;
    return { apiVersion: groupVersion(this.address), kind, ...object };
  }

  #collection(namespace: string | undefined): string {
    return collectionPath(this.address, namespace);
  }

  #pathOf(ref: ObjectRef, subresource?: string): string {
    return objectPath(this.address, ref, subresource);
  }
}

const patchTypes = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
} as const;

function deleteBody(options: DeleteOptions): { body?: object } {
  if (Object.keys(options).length === 0) return {};
  return { body: { kind: "DeleteOptions", apiVersion: "v1", ...options } };
}
