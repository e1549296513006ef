// How many open watches may see a write, by what they watch (upstream: watch_tracker.go). Watches of pods of one node
// count for none: an index keeps them from other nodes' pods.
import { type FieldSelector, parseFieldSelector } from "../api/meta/field-selector.ts";
import type { Cancel } from "../host/host.ts";
import type { RequestDigest } from "./request-digest.ts";

const nothing: Cancel = () => {};

export class WatchCount {
  /** By group, resource, namespace and name; "" for any. */
  readonly #counts = new Map<string, number>();

  /** Forgotten by what it returns, once. */
  register(digest: RequestDigest, fieldSelector: string): Cancel {
    if (digest.resource === "pods" && isOfOneNode(fieldSelector)) return nothing;
    const key = keyOf(digest, digest.namespace, digest.name);
    this.#add(key, 1);
    let open = true;
    return () => {
      if (open) this.#add(key, -1);
      open = false;
    };
  }

  interested(digest: RequestDigest): number {
    if (this.#counts.size === 0) return 0;
    const { namespace, name } = digest;
    let count = this.#of(keyOf(digest, "", ""));
    if (namespace !== "") count += this.#of(keyOf(digest, namespace, ""));
    if (name !== "") count += this.#of(keyOf(digest, namespace, name));
    return count;
  }

  #of(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  #add(key: string, change: 1 | -1): void {
    const count = this.#of(key) + change;
    if (count === 0) this.#counts.delete(key);
    else this.#counts.set(key, count);
  }
}

function keyOf({ group, resource }: RequestDigest, namespace: string, name: string): string {
  return `${group}\0${resource}\0${namespace}\0${name}`;
}

function isOfOneNode(fieldSelector: string): boolean {
  if (!fieldSelector.includes("spec.nodeName")) return false;
  let terms: FieldSelector;
  try {
    terms = parseFieldSelector(fieldSelector);
  } catch {
    return false;
  }
  return terms.some(
    ({ field, operator, value }) => field === "spec.nodeName" && operator === "=" && value !== "",
  );
}
