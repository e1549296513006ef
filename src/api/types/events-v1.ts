// Made by scripts/generate-schema.ts; do not edit. int64 values beyond 2^53 are bigint at run time.
import type { EventSource, ObjectReference } from "./core-v1.ts";
import type { ObjectMeta } from "./meta-v1.ts";

export interface Event {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
  eventTime: string | null;
  series?: EventSeries;
  reportingController?: string;
  reportingInstance?: string;
  action?: string;
  reason?: string;
  regarding?: ObjectReference;
  related?: ObjectReference;
  note?: string;
  type?: string;
  deprecatedSource?: EventSource;
  deprecatedFirstTimestamp?: string | null;
  deprecatedLastTimestamp?: string | null;
  deprecatedCount?: number;
}

export interface EventSeries {
  count: number;
  lastObservedTime: string | null;
}
