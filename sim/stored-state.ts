// Everything that was ever committed, seen where nothing can hide it: at the store. Checkers judge by it, so no client,
// cache or server that is broken can lie to them.
import { parseObject } from "../src/api/codec/parse-object.ts";
import type { KubeObject } from "../src/api/object.ts";
import { qualified } from "../src/api/meta/errors.ts";
import { schema } from "../src/api/schema/schema.ts";
import { resourcePrefix } from "../src/registry/storage-prefix.ts";
import type { Store } from "../src/storage/store.ts";

export interface StoredChange {
  readonly revision: number;
  /** `pods`, `jobs.batch`. */
  readonly resource: string;
  /** `namespace/name`, or `name`. */
  readonly key: string;
  /** Undefined: it was deleted. */
  readonly object: KubeObject | undefined;
  /** What stood there before. */
  readonly previous: KubeObject | undefined;
}

const root = "/registry/";

export class StoredState {
  readonly #objects = new Map<string, Map<string, KubeObject>>();
  readonly #revisions = new Set<number>();
  readonly #sinks: ((change: StoredChange) => void)[] = [];

  constructor(store: Store) {
    store.watch(
      { start: root, end: "/registry0", fromRevision: 1 },
      {
        events: (events) => {
          for (const { type, kv } of events) this.#apply(kv.key, kv.modRevision, type, kv.value);
        },
        progress: () => undefined,
        ended: () => undefined,
      },
    );
  }

  onChange(sink: (change: StoredChange) => void): void {
    this.#sinks.push(sink);
  }

  find(resource: string, key: string): KubeObject | undefined {
    return this.#objects.get(resource)?.get(key);
  }

  list(resource: string, namespace = ""): KubeObject[] {
    const all = [...(this.#objects.get(resource)?.values() ?? [])];
    return namespace === "" ? all : all.filter(({ metadata }) => metadata.namespace === namespace);
  }

  get resources(): readonly string[] {
    return [...this.#objects.keys()];
  }

  /** Whether anything was ever committed at this revision. */
  knows(revision: number): boolean {
    return this.#revisions.has(revision);
  }

  #apply(path: string, revision: number, type: "Put" | "Delete", value: Uint8Array): void {
    this.#revisions.add(revision);
    const { resource, key } = placeOf(path);
    const held = this.#objects.get(resource) ?? new Map<string, KubeObject>();
    this.#objects.set(resource, held);
    const previous = held.get(key);
    const object = type === "Put" && isObject(value) ? parseObject(value) : undefined;
    if (object === undefined) held.delete(key);
    else held.set(key, object);
    for (const sink of this.#sinks) sink({ revision, resource, key, object, previous });
  }
}

/** The server keeps a few values of its own beside the objects. */
function isObject(value: Uint8Array): boolean {
  return value[0] === 0x7b;
}

/** What cannot be watched is not stored: pods of metrics.k8s.io have a name in common with those that are. */
const resourceAt: ReadonlyMap<string, string> = new Map(
  schema.resources
    .filter(({ verbs }) => verbs.includes("watch"))
    .map(({ group, resource }) => [resourcePrefix(group, resource), qualified(group, resource)]),
);

/** `/registry/pods/ns/p`; some prefixes have two parts. */
function placeOf(path: string): { resource: string; key: string } {
  const parts = path.slice(root.length).split("/");
  for (const length of [2, 1]) {
    const resource = resourceAt.get(parts.slice(0, length).join("/"));
    if (resource !== undefined) return { resource, key: parts.slice(length).join("/") };
  }
  return { resource: parts[0] ?? "", key: parts.slice(1).join("/") };
}
