// One stored object between its forms: parsed, as it is stored (no resourceVersion), as it is served.
import { encodeJson } from "../../api/codec/encode-json.ts";
import { isServedFrom, spliceResourceVersion } from "../../api/codec/resource-version.ts";
import type { KubeObject } from "../../api/object.ts";

/** What stands in the store, as far as a write knows. */
export interface Current {
  readonly revision: number;
  /** As served. */
  readonly bytes: Uint8Array;
}

/** Leaves resourceVersion out; `object` stays as it is. */
export function storedBytes(typeId: string, object: KubeObject): Uint8Array {
  const { resourceVersion: _, ...metadata } = object.metadata;
  return encodeJson(typeId, { ...object, metadata });
}

export function servedBytes(value: Uint8Array, revision: number): Uint8Array {
  return spliceResourceVersion(value, revision);
}

/** Whether `value` is what stands there already. */
export function isUnchanged(value: Uint8Array, { bytes, revision }: Current): boolean {
  return isServedFrom(bytes, value, revision);
}
