// Who hears of an object: each watcher stands in one bucket, that of its most selective term, and an event looks only
// into the buckets that its object's old and new state name. Its cost does not grow with the watchers elsewhere.
import type { ObjectChange } from "./change.ts";
import type { Matcher } from "./matcher.ts";
import { nameOf, namespaceOf } from "./object-key.ts";
import type { ResourceLayout } from "./resource-cache.ts";
import { indexedValue } from "./snapshot.ts";

export interface Routed {
  readonly matcher: Matcher;
}

export class Router<W extends Routed> {
  readonly #layout: ResourceLayout;
  readonly #all = new Set<W>();
  readonly #byKey = new Map<string, Set<W>>();
  readonly #byName = new Map<string, Set<W>>();
  readonly #byNamespace = new Map<string, Set<W>>();
  /** One for each index of the layout. */
  readonly #byIndex: readonly Map<string, Set<W>>[];

  constructor(layout: ResourceLayout) {
    this.#layout = layout;
    this.#byIndex = layout.indexes.map(() => new Map<string, Set<W>>());
  }

  add(watcher: W): void {
    const { buckets, key } = this.#place(watcher.matcher);
    if (buckets === undefined) {
      this.#all.add(watcher);
      return;
    }
    const bucket = buckets.get(key);
    if (bucket === undefined) buckets.set(key, new Set([watcher]));
    else bucket.add(watcher);
  }

  remove(watcher: W): void {
    const { buckets, key } = this.#place(watcher.matcher);
    if (buckets === undefined) {
      this.#all.delete(watcher);
      return;
    }
    const bucket = buckets.get(key);
    bucket?.delete(watcher);
    if (bucket?.size === 0) buckets.delete(key);
  }

  /** Every watcher that may see the change, each once. A watcher may leave while it is visited. */
  visit(change: ObjectChange, fn: (watcher: W) => void): void {
    const { key } = change;
    this.#all.forEach(fn);
    visitBucket(this.#byKey, key, fn);
    visitBucket(this.#byName, nameOf(key), fn);
    visitBucket(this.#byNamespace, namespaceOf(key), fn);
    this.#byIndex.forEach((buckets, index) => {
      if (buckets.size === 0) return;
      const before = change.previous && indexedValue(this.#layout, index, change.previous);
      const after = change.current && indexedValue(this.#layout, index, change.current);
      if (before !== undefined) visitBucket(buckets, before, fn);
      if (after !== undefined && after !== before) visitBucket(buckets, after, fn);
    });
  }

  /** The most selective place first. No buckets: it must see everything. */
  #place(matcher: Matcher): { buckets: Map<string, Set<W>> | undefined; key: string } {
    if (matcher.key !== undefined) return { buckets: this.#byKey, key: matcher.key };
    if (matcher.name !== undefined) return { buckets: this.#byName, key: matcher.name };
    const term = matcher.terms[0];
    if (term !== undefined) return { buckets: this.#byIndex[term.index]!, key: term.value };
    if (matcher.namespace !== "") return { buckets: this.#byNamespace, key: matcher.namespace };
    return { buckets: undefined, key: "" };
  }
}

function visitBucket<W>(
  buckets: ReadonlyMap<string, Set<W>>,
  key: string,
  fn: (watcher: W) => void,
): void {
  buckets.get(key)?.forEach(fn);
}
