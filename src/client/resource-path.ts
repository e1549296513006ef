// Where a resource and its objects are, as paths.
import type { ObjectRef } from "./served-object.ts";

export interface PathAddress {
  /** "" is the core group. */
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly namespaced: boolean;
}

/** `namespace` absent: of all namespaces. */
export function collectionPath(address: PathAddress, namespace: string | undefined): string {
  const { group, version, resource, namespaced } = address;
  const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  const scope = namespace === undefined ? "" : `/namespaces/${encodeURIComponent(namespace)}`;
  return `${root}${namespaced ? scope : ""}/${resource}`;
}

export function objectPath(
  address: PathAddress,
  { namespace, name }: ObjectRef,
  subresource?: string,
): string {
  const path = `${collectionPath(address, namespace)}/${encodeURIComponent(name)}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}
