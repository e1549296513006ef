// Real registries over the memory store, for the tests of this folder: calls with sensible members, admission that allows
// everything, a wall clock that moves when told.
import { uncounted } from "../api/request-cost.ts";
import { type Admission, admitAll } from "../api/admission-attributes.ts";
import { type ListOptions, noListOptions } from "../api/meta/list-options.ts";
import type { KubeObject } from "../api/object.ts";
import type { DeleteOptions } from "../api/types/meta-v1.ts";
import { notFound } from "../api/meta/errors.ts";
import type { Host } from "../host/host.ts";
import { createMemoryStore } from "../storage/memory/memory-store.ts";
import type { KeyValue, Store } from "../storage/store.ts";
import { createWatchCache } from "../watchcache/watch-cache.ts";
import { assert } from "../std/assert.ts";
import {
  buildRegistries,
  defaultRegistryOptions,
  type RegistryOptions,
  type StoredRegistries,
} from "./build.ts";
import type { DeleteCall, Deleted, ResourceRegistry, UpdateCall, WriteCall } from "./registry.ts";
import { parseObject } from "../api/codec/parse-object.ts";

/** What tests vary of a call. */
export interface CallOptions {
  readonly namespace?: string;
  readonly dryRun?: boolean;
  readonly admission?: Admission;
  readonly warnings?: string[];
}

export class TestRegistries {
  readonly store: Store;
  readonly registries: StoredRegistries;
  readonly #wall: { now: number };
  readonly #stop: () => Promise<void>;

  private constructor(
    parts: { readonly store: Store; readonly registries: StoredRegistries },
    wall: { now: number },
    stop: () => Promise<void>,
  ) {
    this.store = parts.store;
    this.registries = parts.registries;
    this.#wall = wall;
    this.#stop = stop;
  }

  /** The wall clock starts at 2026-01-02T03:04:05Z. */
  static async open(
    real: Host,
    options: Partial<RegistryOptions> = {},
    wrap: (store: Store) => Store = (store) => store,
  ): Promise<TestRegistries> {
    const wall = { now: Date.parse("2026-01-02T03:04:05.678Z") };
    const host: Host = {
      log: real.log,
      random: real.random,
      digest: real.digest,
      clock: {
        now: () => wall.now,
        monotonic: () => real.clock.monotonic(),
        after: (ms, fn) => real.clock.after(ms, fn),
        turn: () => real.clock.turn(),
      },
    };
    const store = wrap(createMemoryStore(host));
    const watchCache = createWatchCache(host, store, { prefix: "/registry/" });
    const registries = buildRegistries(host, store, watchCache, {
      ...defaultRegistryOptions,
      ...options,
    });
    await watchCache.start();
    return new TestRegistries({ store, registries }, wall, async () => {
      watchCache.close();
      await store.close();
    });
  }

  close(): Promise<void> {
    return this.#stop();
  }

  /** What stands under a key of the store. */
  async stored(key: string): Promise<KeyValue | undefined> {
    const outcome = await this.store.range({ start: key });
    return outcome.kind === "Range" ? outcome.kvs[0] : undefined;
  }

  advance(ms: number): void {
    this.#wall.now += ms;
  }

  of(group: string, resource: string, version?: string): TestRegistry {
    const registry = this.registries.find(group, resource, version);
    assert(registry !== undefined, `${resource} is stored`);
    return new TestRegistry(registry);
  }
}

/** One registry with calls made short; answers are parsed. */
export class TestRegistry {
  readonly registry: ResourceRegistry;

  constructor(registry: ResourceRegistry) {
    this.registry = registry;
  }

  call(options: CallOptions = {}): WriteCall {
    const { namespaced } = this.registry.resource;
    return {
      user: { name: "ann", uid: "u1", groups: ["g"], extra: {} },
      namespace: options.namespace ?? (namespaced ? "default" : ""),
      dryRun: options.dryRun ?? false,
      fieldManager: "test",
      admission: options.admission ?? admitAll,
      cost: uncounted(),
      warn: (text) => options.warnings?.push(text),
    };
  }

  async create(object: object, options: CallOptions = {}): Promise<KubeObject> {
    const copy = structuredCopy(object);
    const written = await this.registry.create(copy, this.call(options));
    return parseObject(written.bytes);
  }

  async get(name: string, resourceVersion = ""): Promise<KubeObject> {
    const { namespace } = this.call();
    return parseObject((await this.registry.get(namespace, name, resourceVersion)).object.bytes);
  }

  /** PUT of `object`. */
  put(
    object: KubeObject,
    options: CallOptions & { subresource?: string } = {},
  ): Promise<KubeObject> {
    return this.update(object.metadata.name ?? "", () => structuredCopy(object), {
      ...options,
      mayCreate: true,
    });
  }

  /** PATCH by a function that works in place. */
  patch(
    name: string,
    change: (object: KubeObject) => void,
    options: CallOptions & { subresource?: string } = {},
  ): Promise<KubeObject> {
    const update: UpdateCall["change"] = (current) => {
      if (current === undefined) throw notFound(this.registry.resource, name);
      const object = current();
      change(object);
      return object;
    };
    return this.update(name, update, { ...options, mayCreate: false });
  }

  async update(
    name: string,
    change: UpdateCall["change"],
    options: CallOptions & { subresource?: string; mayCreate: boolean },
  ): Promise<KubeObject> {
    const { group, version, kind } = this.registry.resource;
    const written = await this.registry.update({
      ...this.call(options),
      name,
      subresource: options.subresource ?? "",
      kind: { group, version, kind },
      mayCreate: options.mayCreate,
      authorizeCreate: () => Promise.resolve(),
      change,
    });
    return parseObject(written.bytes);
  }

  delete(name: string, options: DeleteOptions = {}, call: CallOptions = {}): Promise<Deleted> {
    const whole: DeleteCall = { ...this.call(call), name, options };
    return this.registry.delete(whole);
  }

  async names(options: Partial<ListOptions> = {}, namespace?: string): Promise<string[]> {
    const place = namespace ?? this.call().namespace;
    const list = await this.registry.list(place, { ...noListOptions, ...options });
    return [...list.items].map(({ key }) => key);
  }
}

function structuredCopy(object: object): KubeObject {
  return JSON.parse(JSON.stringify(object)) as KubeObject;
}
