// What a DELETE does to an object: removed at once, marked and kept (grace period, finalizers), or nothing because it is
// under way. Decided here on plain data (upstream: registry/rest/delete.go and store.go); carried out by delete.ts.
import type { KubeObject } from "../../api/object.ts";
import type { DeleteOptions, ObjectMeta } from "../../api/types/meta-v1.ts";
import type { Strategy } from "../strategy.ts";
import { toNumber } from "./int64.ts";
import { timestamp } from "../../api/meta/timestamp.ts";

const orphanFinalizer = "orphan";
const foregroundFinalizer = "foregroundDeletion";

export type DeletePlan =
  | { readonly kind: "Remove" }
  /** Store the object as changed; then remove it when nothing keeps it. */
  | { readonly kind: "Mark"; readonly thenRemove: boolean }
  /** Graceful deletion goes on as it was. */
  | { readonly kind: "Pending" };

/** Changes `object` in place where the plan is to mark it. `now` in ms. */
export function planDelete(
  object: KubeObject,
  strategy: Strategy,
  given: { readonly options: DeleteOptions; readonly now: number },
): DeletePlan {
  const { options, now } = given;
  const grace = gracefully(object, strategy, given);
  if (grace === "Pending") return { kind: "Pending" };
  const finalizers = finalizersAfter(object.metadata.finalizers ?? [], strategy, options);
  if (finalizers.length > 0) object.metadata.finalizers = finalizers;
  else delete object.metadata.finalizers;
  const isKept = finalizers.length > 0 || strategy.isHeld(object);
  if (grace === "None") {
    if (!isKept) return { kind: "Remove" };
    markAsDeleting(object.metadata, now);
  }
  strategy.markDeleted(object);
  return { kind: "Mark", thenRemove: !isKept && grace === 0 };
}

/** None: the kind or the moment knows no grace. A number: the period that was set, in seconds. */
function gracefully(
  object: KubeObject,
  strategy: Strategy,
  { options, now }: { readonly options: DeleteOptions; readonly now: number },
): "None" | "Pending" | number {
  const { metadata } = object;
  const asked = askedPeriod(options);
  const period = strategy.gracePeriodSeconds(object, asked);
  if (period === undefined) return "None";
  if (metadata.deletionTimestamp === undefined || metadata.deletionTimestamp === null) {
    setDeletion(metadata, now + period * 1000, period);
    bumpGeneration(metadata);
    return period;
  }
  const running = toNumber(metadata.deletionGracePeriodSeconds);
  if (running === 0) return "None";
  // A running period can only be shortened.
  if (asked === undefined || asked >= running) return "Pending";
  const started = Date.parse(metadata.deletionTimestamp) - running * 1000;
  setDeletion(metadata, started + asked * 1000, asked);
  return asked;
}

/** Negative periods count as one second. */
function askedPeriod(options: DeleteOptions): number | undefined {
  const asked = options.gracePeriodSeconds;
  if (asked === undefined || asked === null) return undefined;
  const period = toNumber(asked);
  return period < 0 ? 1 : period;
}

function setDeletion(metadata: ObjectMeta, at: number, periodSeconds: number): void {
  metadata.deletionTimestamp = timestamp(at);
  metadata.deletionGracePeriodSeconds = periodSeconds;
}

/** Without grace: deleted now; only finalizers keep it. */
function markAsDeleting(metadata: ObjectMeta, now: number): void {
  const present = metadata.deletionTimestamp;
  if (present === undefined || present === null) bumpGeneration(metadata);
  const isPast = typeof present === "string" && Date.parse(present) <= now;
  setDeletion(metadata, isPast ? Date.parse(present) : now, 0);
}

function bumpGeneration(metadata: ObjectMeta): void {
  const generation = toNumber(metadata.generation);
  if (generation > 0) metadata.generation = generation + 1;
}

/** An explicit wish counts before a finalizer that is there, and that before the kind's default. */
function finalizersAfter(
  present: readonly string[],
  strategy: Strategy,
  options: DeleteOptions,
): string[] {
  const isOurs = (name: string): boolean =>
    name === orphanFinalizer || name === foregroundFinalizer;
  const wanted = dependentsFinalizer(present, strategy, options);
  if (present.filter(isOurs).length === (wanted === undefined ? 0 : 1)) {
    if (wanted === undefined || present.includes(wanted)) return [...present];
  }
  const others = present.filter((name) => !isOurs(name));
  return wanted === undefined ? others : [...others, wanted];
}

function dependentsFinalizer(
  present: readonly string[],
  strategy: Strategy,
  options: DeleteOptions,
): string | undefined {
  if (strategy.dependents === "Unsupported") return undefined;
  if (typeof options.orphanDependents === "boolean") {
    return options.orphanDependents ? orphanFinalizer : undefined;
  }
  switch (options.propagationPolicy) {
    case "Orphan":
      return orphanFinalizer;
    case "Foreground":
      return foregroundFinalizer;
    case "Background":
      return undefined;
    default:
  }
  if (present.includes(orphanFinalizer)) return orphanFinalizer;
  if (present.includes(foregroundFinalizer)) return foregroundFinalizer;
  return strategy.dependents === "Orphan" ? orphanFinalizer : undefined;
}
