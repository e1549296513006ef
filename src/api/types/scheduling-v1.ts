// Made by scripts/generate-schema.ts; do not edit. int64 values beyond 2^53 are bigint at run time.
import type { ObjectMeta } from "./meta-v1.ts";

export interface PriorityClass {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
  value: number;
  globalDefault?: boolean;
  description?: string;
  preemptionPolicy?: string;
}
