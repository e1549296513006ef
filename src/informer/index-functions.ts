// Ways to find objects besides by key. An index is a value: informers are told which to keep, and lookups name it.
import type { OwnerReference } from "../api/types/meta-v1.ts";
import type { Pod } from "../api/types/core-v1.ts";
import type { ApiObject } from "../client/served-object.ts";

export interface Index<T extends ApiObject> {
  readonly name: string;
  /** Under which values the object is found; none: not at all. */
  readonly valuesOf: (object: T) => readonly string[];
}

export const byNamespace: Index<ApiObject> = {
  name: "namespace",
  valuesOf: ({ metadata }) => (metadata.namespace === undefined ? [] : [metadata.namespace]),
};

/** By the UID of the one owner that controls the object. */
export const byController: Index<ApiObject> = {
  name: "controller",
  valuesOf: (object) => {
    const owner = controllerOf(object);
    return owner === undefined ? [] : [owner.uid];
  },
};

/** By the UIDs of all owners. */
export const byOwner: Index<ApiObject> = {
  name: "owner",
  valuesOf: ({ metadata }) => (metadata.ownerReferences ?? []).map(({ uid }) => uid),
};

/** Pods by the node they are bound to. */
export const byNodeName: Index<Pod> = {
  name: "node",
  valuesOf: ({ spec }) =>
    spec?.nodeName === undefined || spec.nodeName === "" ? [] : [spec.nodeName],
};

export function byLabel(key: string): Index<ApiObject> {
  return {
    name: `label ${key}`,
    valuesOf: ({ metadata }) => {
      const labels = metadata.labels ?? {};
      return Object.hasOwn(labels, key) ? [labels[key]!] : [];
    },
  };
}

/** The reference of the owner that controls the object; at most one does. */
export function controllerOf(object: ApiObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find(({ controller }) => controller === true);
}
