// Lets access read the cluster's own objects from the watch caches. Objects are parsed once per revision and shared.
import type { ObjectReader } from "../access/object-reader.ts";
import type { KubeObject } from "../api/object.ts";
import { assert } from "../std/assert.ts";
import type { CachedObject, ResourceCache } from "../watchcache/resource-cache.ts";
import { parseObject } from "../api/codec/parse-object.ts";
import { cacheKey } from "../watchcache/object-key.ts";

/** `caches`: by label, `pods` or `roles.rbac.authorization.k8s.io`. */
export class CachedObjectReader implements ObjectReader {
  readonly #caches: ReadonlyMap<string, ResourceCache>;
  /** Forgets with the cached object itself. */
  readonly #parsed = new WeakMap<CachedObject, Readonly<KubeObject>>();

  constructor(caches: Iterable<ResourceCache>) {
    this.#caches = new Map([...caches].map((cache) => [cache.layout.label, cache]));
  }

  find(resource: string, namespace: string, name: string): Readonly<KubeObject> | undefined {
    const cached = this.#cache(resource).peek(cacheKey({ namespace, name }));
    return cached && this.#parse(cached);
  }

  async findFresh(
    resource: string,
    namespace: string,
    name: string,
  ): Promise<Readonly<KubeObject> | undefined> {
    const found = await this.#cache(resource).get(cacheKey({ namespace, name }));
    // Too late to be fresh: the newest known state is the best there is.
    if (found.kind === "TooLarge") return this.find(resource, namespace, name);
    return found.object && this.#parse(found.object);
  }

  list(resource: string, namespace: string): readonly Readonly<KubeObject>[] {
    return Array.from(this.#cache(resource).peekAll(namespace), (cached) => this.#parse(cached));
  }

  revision(resource: string): number {
    return this.#cache(resource).changedAt;
  }

  #cache(resource: string): ResourceCache {
    const cache = this.#caches.get(resource);
    assert(cache !== undefined, `no cache holds ${resource}`);
    return cache;
  }

  #parse(cached: CachedObject): Readonly<KubeObject> {
    const known = this.#parsed.get(cached);
    if (known !== undefined) return known;
    const object = parseObject(cached.bytes);
    this.#parsed.set(cached, object);
    return object;
  }
}
