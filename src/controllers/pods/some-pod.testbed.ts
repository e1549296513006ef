// Pods and owners for tables of plans. Only tests import it.
import type { Pod } from "../../api/types/core-v1.ts";
import type { Served } from "../../client/served-object.ts";
import { timestamp } from "./timestamp.ts";

/** The "now" of tables. */
export const now: number = Date.parse("2026-01-01T12:00:00Z");

export interface PodTraits {
  readonly phase?: string;
  /** Seconds ago. */
  readonly readyFor?: number;
  readonly age?: number;
  readonly node?: string;
  readonly restarts?: number;
  readonly labels?: Record<string, string>;
  readonly annotations?: Record<string, string>;
  readonly terminating?: boolean;
}

export function ago(seconds: number): string {
  return timestamp(now - seconds * 1_000);
}

export function somePod(name: string, traits: PodTraits = {}): Served<Pod> {
  const { phase = "Running", readyFor, age = 60, node = "n", restarts = 0 } = traits;
  const { labels = {}, annotations = {}, terminating = false } = traits;
  return {
    kind: "Pod",
    apiVersion: "v1",
    metadata: {
      name,
      namespace: "default",
      uid: `uid-${name}`,
      resourceVersion: "1",
      creationTimestamp: ago(age),
      labels,
      annotations,
      ...(terminating ? { deletionTimestamp: ago(0) } : {}),
    },
    spec: { nodeName: node },
    status: {
      phase,
      ...(readyFor === undefined
        ? {}
        : {
            conditions: [{ type: "Ready", status: "True", lastTransitionTime: ago(readyFor) }],
          }),
      containerStatuses: [
        { name: "c", restartCount: restarts, ready: true, image: "", imageID: "" },
      ],
    },
  };
}

/** Metadata as a server gives it. */
export function served(name: string, more: object = {}): Served<Pod>["metadata"] {
  return {
    name,
    namespace: "default",
    uid: `uid-${name}`,
    resourceVersion: "1",
    creationTimestamp: ago(3_600),
    generation: 1,
    ...more,
  };
}
