// Object keys: `namespace/name`, or `name` for cluster-scoped resources; the storage key without the resource's prefix.
import type { ResourceLayout } from "./resource-cache.ts";

export interface ObjectName {
  /** "" for cluster-scoped resources. */
  readonly namespace: string;
  readonly name: string;
}

/**
 * From the key in the store. `join` gives a string of its own: V8 compares slices of other strings many times slower,
 * and they keep the whole string alive.
 */
export function objectKey(layout: ResourceLayout, storeKey: string): string {
  return storeKey.slice(layout.prefix.length).split("/").join("/");
}

export function cacheKey({ namespace, name }: ObjectName): string {
  return namespace === "" ? name : `${namespace}/${name}`;
}

export function nameOf(key: string): string {
  return key.slice(key.indexOf("/") + 1);
}

/** "" for cluster-scoped resources. */
export function namespaceOf(key: string): string {
  return key.slice(0, Math.max(0, key.indexOf("/")));
}
