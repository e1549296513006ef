// Objects as a server gives them back: the parts of metadata that every stored object has are there. Also how
// components name objects: by reference in calls, by key in queues.
import type { ObjectMeta } from "../api/types/meta-v1.ts";

/** What all kinds have in common. */
export interface ApiObject {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
}

/** `T` as it came from a server. Objects from a cache are shared: never change them, copy first (std/json copyJson). */
export type Served<T extends ApiObject> = T & {
  metadata: { name: string; uid: string; resourceVersion: string; creationTimestamp: string };
};

export interface ObjectRef {
  /** Absent for cluster-scoped resources. */
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** `namespace/name`, or `name` for cluster-scoped objects (upstream: MetaNamespaceKeyFunc). */
export function keyOf(object: ApiObject): string {
  const { namespace = "", name = "" } = object.metadata;
  return namespace === "" ? name : `${namespace}/${name}`;
}

export function refOf(object: ApiObject): ObjectRef {
  const { namespace, name = "" } = object.metadata;
  return { namespace, name };
}

/** The inverse of keyOf. */
export function refOfKey(key: string): ObjectRef {
  const slash = key.indexOf("/");
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}
