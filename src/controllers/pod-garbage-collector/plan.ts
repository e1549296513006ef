// Which pods nobody will ever clean up: those of nodes that are gone or declared out of service, those that ended and are
// too many, those deleted before they had a node. Pure (upstream: pkg/controller/podgc/gc_controller.go).
import type { Node, Pod } from "../../api/types/core-v1.ts";
import type { Served } from "../../client/served-object.ts";
import type { Disruption } from "../pod-status.ts";

export type AnyPod = Readonly<Served<Pod>>;

export interface Collectable {
  readonly pod: AnyPod;
  /** What its condition says before it goes. */
  readonly disruption: Disruption | undefined;
}

const outOfService = "node.kubernetes.io/out-of-service";

/** The oldest of those that ended, as far as they are more than `max`; evicted ones first. */
export function surplusEnded(pods: readonly AnyPod[], max: number): Collectable[] {
  const ended = pods.filter(({ status }) => !livePhases.includes(status?.phase ?? "Pending"));
  const surplus = ended.length - max;
  if (surplus <= 0) return [];
  return ended
    .toSorted(
      (a, b) =>
        Number(isEvicted(b)) - Number(isEvicted(a)) ||
        Date.parse(a.metadata.creationTimestamp) - Date.parse(b.metadata.creationTimestamp),
    )
    .slice(0, surplus)
    .map((pod) => ({ pod, disruption: undefined }));
}

const livePhases = ["Pending", "Running", "Unknown"];

function isEvicted({ status }: AnyPod): boolean {
  return status?.phase === "Failed" && status.reason === "Evicted";
}

/** Terminating pods on nodes that an administrator has given up (KEP-2268). */
export function outOfServicePods(
  pods: readonly AnyPod[],
  findNode: (name: string) => Node | undefined,
): Collectable[] {
  return pods
    .filter(({ metadata, spec }) => {
      if (metadata.deletionTimestamp == null) return false;
      const node = findNode(spec?.nodeName ?? "");
      return node !== undefined && !isReady(node) && isOutOfService(node);
    })
    .map((pod) => ({ pod, disruption: undefined }));
}

function isReady({ status }: Node): boolean {
  return (
    status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false
  );
}

function isOutOfService({ spec }: Node): boolean {
  return spec?.taints?.some(({ key }) => key === outOfService) ?? false;
}

/** Node names that pods have and no node does. */
export function missingNodes(
  pods: readonly AnyPod[],
  findNode: (name: string) => Node | undefined,
): Set<string> {
  const names = pods.map(({ spec }) => spec?.nodeName ?? "").filter((name) => name !== "");
  return new Set(names.filter((name) => findNode(name) === undefined));
}

export function orphanedPods(pods: readonly AnyPod[], gone: ReadonlySet<string>): Collectable[] {
  const disruption = { reason: "DeletionByPodGC", message: "PodGC: node no longer exists" };
  return pods
    .filter(({ spec }) => gone.has(spec?.nodeName ?? ""))
    .map((pod) => ({ pod, disruption }));
}

export function unscheduledTerminating(pods: readonly AnyPod[]): Collectable[] {
  return pods
    .filter(
      ({ metadata, spec }) => metadata.deletionTimestamp != null && (spec?.nodeName ?? "") === "",
    )
    .map((pod) => ({ pod, disruption: undefined }));
}
