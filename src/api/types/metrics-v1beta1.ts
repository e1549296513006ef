// Made by scripts/generate-schema.ts; do not edit. int64 values beyond 2^53 are bigint at run time.
import type { ObjectMeta } from "./meta-v1.ts";

export interface ContainerMetrics {
  name: string;
  usage?: Record<string, string>;
}

export interface NodeMetrics {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
  timestamp: string | null;
  window: string;
  usage?: Record<string, string>;
}

export interface PodMetrics {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
  timestamp: string | null;
  window: string;
  containers?: ContainerMetrics[];
}
