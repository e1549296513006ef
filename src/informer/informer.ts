// One resource's view, shared by all who need it in a component: a reflector fills an indexer, and handlers are told of
// every difference once, in order, after the indexer knows it. What was missed while the watch was broken arrives as
// differences too (upstream: client-go/tools/cache/shared_informer.go).
import type { ResourceClient } from "../client/resource-client.ts";
import { type ApiObject, type Served, keyOf } from "../client/served-object.ts";
import { abortable } from "../client/waiting.ts";
import type { Cancel, Host } from "../host/host.ts";
import type { Index } from "./index-functions.ts";
import { Indexer, type Lister } from "./indexer.ts";
import type { ReflectorProfile } from "./reflector-profile.ts";
import { Reflector, type ReflectorSink, type Selection } from "./reflector.ts";

export type Change<T extends ApiObject> =
  | { readonly type: "added"; readonly object: Readonly<Served<T>> }
  | {
      readonly type: "updated";
      readonly object: Readonly<Served<T>>;
      readonly previous: Readonly<Served<T>>;
    }
  /** `object` is the last state that was seen, which need not be the last there was. */
  | { readonly type: "deleted"; readonly object: Readonly<Served<T>> };

/** Must return soon and not throw: it usually puts a key into a queue. */
export type ChangeHandler<T extends ApiObject> = (change: Change<T>) => void;

export interface InformerOptions<T extends ApiObject> {
  readonly resource: ResourceClient<T>;
  readonly selection: Selection;
  readonly indexes: readonly Index<T>[];
  readonly profile: ReflectorProfile;
  /** Deep-freeze what the cache holds, so that changing it throws. */
  readonly freeze: boolean;
}

export class Informer<T extends ApiObject> {
  readonly #indexer: Indexer<T>;
  readonly #reflector: Reflector<T>;
  readonly #handlers = new Set<ChangeHandler<T>>();
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #synced = false;
  #tellSynced: () => void = () => undefined;
  readonly #firstSync: Promise<void>;

  constructor(host: Host, options: InformerOptions<T>) {
    this.#indexer = new Indexer(options.indexes, options.freeze);
    this.#firstSync = new Promise((resolve) => (this.#tellSynced = resolve));
    const sink: ReflectorSink<T> = {
      replace: (objects) => this.#replace(objects),
      change: (type, object) => {
        if (type === "DELETED") this.#delete(keyOf(object), object);
        else this.#put(object);
      },
    };
    const { resource, selection, profile } = options;
    this.#reflector = new Reflector(host, { resource, selection, profile, sink });
  }

  get lister(): Lister<T> {
    return this.#indexer;
  }

  get synced(): boolean {
    return this.#synced;
  }

  /** The newest revision that the lister reflects; "" before the first sync. */
  get resourceVersion(): string {
    return this.#reflector.resourceVersion;
  }

  /** Resolves when everything that existed at the start has been seen. Rejects with AbortedError. */
  whenSynced(signal?: AbortSignal): Promise<void> {
    return abortable(this.#firstSync, signal);
  }

  addIndex(index: Index<T>): void {
    this.#indexer.addIndex(index);
  }

  /** Told at once of all objects that are there, then of every change. */
  addHandler(handler: ChangeHandler<T>): Cancel {
    for (const object of this.#indexer.list()) handler({ type: "added", object });
    this.#handlers.add(handler);
    return () => void this.#handlers.delete(handler);
  }

  /** Starting twice is the same as once. */
  start(): void {
    this.#running ??= this.#reflector.run(this.#stopping.signal);
  }

  /** The lister keeps what it had. Resolves when nothing changes it any more. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  #replace(objects: readonly Served<T>[]): void {
    const gone = new Set(this.#indexer.keys());
    for (const object of objects) {
      gone.delete(keyOf(object));
      this.#put(object);
    }
    for (const key of gone) this.#delete(key);
    this.#synced = true;
    this.#tellSynced();
  }

  #put(object: Served<T>): void {
    const key = keyOf(object);
    const previous = this.#indexer.find(key);
    if (previous === undefined) return this.#add(object);
    if (previous.metadata.uid !== object.metadata.uid) {
      // Deleted and made anew while we did not look.
      this.#delete(key);
      return this.#add(object);
    }
    if (previous.metadata.resourceVersion === object.metadata.resourceVersion) return;
    this.#indexer.put(object);
    this.#tell({ type: "updated", object, previous });
  }

  #add(object: Served<T>): void {
    this.#indexer.put(object);
    this.#tell({ type: "added", object });
  }

  /** `last` is the object's state at its end, where the server told it. */
  #delete(key: string, last?: Served<T>): void {
    const known = this.#indexer.find(key);
    if (known === undefined) return;
    this.#indexer.remove(key);
    const object = last?.metadata.uid === known.metadata.uid ? last : known;
    this.#tell({ type: "deleted", object });
  }

  #tell(change: Change<T>): void {
    for (const handler of this.#handlers) handler(change);
  }
}
