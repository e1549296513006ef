// A Kubernetes object in memory: plain JSON, shaped by its kind's schema. Objects that were decoded for one request
// belong to that request and may be changed by it; anything that came out of a cache is read-only.
import type { ObjectMeta } from "./types/meta-v1.ts";

export interface KubeObject {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
  [field: string]: unknown;
}

/** Any JSON value; integers beyond 2^53 are bigint (std/json.ts). */
export type JsonValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | JsonValue[]
  | { [key: string]: JsonValue };
