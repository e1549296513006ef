// One resource's keys in the store: compare-and-write by revision, and the newest state either from the cache, at once
// and maybe stale, or from the store, certain. Knows bytes and revisions, nothing of what a write means.
import type { RequestCost } from "../../api/request-cost.ts";
import type { Clock } from "../../host/host.ts";
import { Turns } from "../../std/turns.ts";
import type { KeyValue, Operation, Store, Transaction } from "../../storage/store.ts";
import type { ResourceCache } from "../../watchcache/resource-cache.ts";
import type { DecodeStored } from "../../watchcache/stored-object.ts";
import type { LeasePool } from "./lease-pool.ts";
import { type Current, servedBytes } from "./object-bytes.ts";
import { cacheKey, type ObjectName } from "../../watchcache/object-key.ts";

export type WriteOutcome =
  | { readonly kind: "Written"; readonly revision: number }
  /** A compare failed; this is what stands there: as expected, when it was one of the companions'. */
  | { readonly kind: "Lost"; readonly current: Current | undefined };

/** Which object, in the words of requests. */
/** What else has to hold, and changes, in the transaction of a write. */
export type Companions = Pick<Transaction, "compare" | "success">;

export const alone: Companions = { compare: [], success: [] };

/** What a removal must know besides the object's name. */
export interface Removal {
  /** At which it must stand. */
  readonly revision: number;
  readonly companions: Companions;
  readonly cost: RequestCost;
}

export interface StoreAccess {
  readonly clock: Clock;
  readonly store: Store;
  readonly leases: LeasePool;
  /** Undefined: every value is JSON. */
  readonly decodeStored: DecodeStored | undefined;
}

const brace = 0x7b;

export class ObjectStore {
  readonly cache: ResourceCache;
  readonly #access: StoreAccess;
  readonly #store: Store;
  readonly #turns = new Turns();

  constructor(access: StoreAccess, cache: ResourceCache) {
    this.cache = cache;
    this.#access = access;
    this.#store = access.store;
  }

  /** Writers that lost a compare on this object go on one after the other: together they would lose to each other. */
  inTurn<T>(object: ObjectName, work: () => Promise<T>): Promise<T> {
    return this.#turns.take(this.storeKey(object), work);
  }

  /** `/registry/pods/default/a` */
  storeKey(object: ObjectName): string {
    return this.cache.layout.prefix + cacheKey(object);
  }

  /** The newest state this process has seen. */
  peek(object: ObjectName): Current | undefined {
    return this.cache.peek(cacheKey(object));
  }

  /** What was just written, as served: nearly always the cache has made these bytes by now. */
  served(object: ObjectName, value: Uint8Array, revision: number): Uint8Array {
    const newest = this.peek(object);
    return newest?.revision === revision ? newest.bytes : servedBytes(value, revision);
  }

  /** Linearizable. */
  async read(object: ObjectName, cost: RequestCost): Promise<Current | undefined> {
    const { clock } = this.#access;
    cost.suspend(clock.monotonic());
    const outcome = await this.#store.range({ start: this.storeKey(object) });
    cost.resume(clock.monotonic());
    cost.storeReads += 1;
    const kv = outcome.kind === "Range" ? outcome.kvs[0] : undefined;
    if (kv === undefined) return undefined;
    cost.storeObjects += 1;
    cost.storeBytes += kv.value.length;
    return this.#current(kv);
  }

  /** The store's newest revision. */
  async revision(): Promise<number> {
    return this.#store.currentRevision();
  }

  /** Writes when the key still stands at `revision`; 0: when it does not exist. */
  async write(
    object: ObjectName,
    value: Uint8Array,
    options: {
      readonly revision: number;
      readonly ttlSeconds: number;
      readonly companions?: Companions;
      readonly cost: RequestCost;
    },
  ): Promise<WriteOutcome> {
    const { revision, ttlSeconds, companions = alone, cost } = options;
    const lease = ttlSeconds === 0 ? undefined : await this.#access.leases.leaseFor(ttlSeconds);
    const key = this.storeKey(object);
    const put: Operation = {
      kind: "Put",
      key,
      value,
      ...(lease === undefined ? {} : { lease }),
    };
    return await this.#transact(put, { revision, companions, cost });
  }

  remove(object: ObjectName, removal: Removal): Promise<WriteOutcome> {
    return this.#transact({ kind: "Delete", key: this.storeKey(object) }, removal);
  }

  async #transact(
    operation: Operation,
    { revision, companions, cost }: Removal,
  ): Promise<WriteOutcome> {
    const { key } = operation;
    cost.storeWrites += 1;
    cost.suspend(this.#access.clock.monotonic());
    const result = await this.#store.transact({
      compare: [{ key, modRevision: revision }, ...companions.compare],
      success: [operation, ...companions.success],
      failure: [{ kind: "Get", key }],
    });
    if (result.succeeded) return { kind: "Written", revision: result.revision };
    const kv = result.results[0];
    if (kv === undefined) return { kind: "Lost", current: undefined };
    cost.storeObjects += 1;
    cost.storeBytes += kv.value.length;
    return { kind: "Lost", current: this.#current(kv) };
  }

  /** Values of another form are a kube-apiserver's on the same store. */
  #current({ value, modRevision }: KeyValue): Current {
    const { decodeStored } = this.#access;
    const isForeign = decodeStored !== undefined && value[0] !== brace;
    const json = isForeign ? decodeStored(value, this.cache.layout) : value;
    return { revision: modRevision, bytes: servedBytes(json, modRevision) };
  }
}
