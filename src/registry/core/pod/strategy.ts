// Pods: graceful deletion, a status that the server starts, and subresources that may each change one part of the spec
// (upstream: core/pod/strategy.go).
import type { KubeObject } from "../../../api/object.ts";
import type { Container, Pod, PodSpec, PodStatus } from "../../../api/types/core-v1.ts";
import { keep } from "../../generic/prepare.ts";
import { plainStrategy, type Strategy } from "../../strategy.ts";
import { toNumber } from "../../generic/int64.ts";

const defaultGraceSeconds = 30;

export const podStrategy: Strategy = {
  ...plainStrategy,
  generation: "OnChange",
  returnsDeleted: true,
  gracePeriodSeconds,
  prepareForCreate: showSchedulingGates,
  subresources: {
    status: (object, old) => prepareStatus(object, old),
    ephemeralcontainers: (object, old) => keepAllBut(object, old, "ephemeralContainers"),
    resize: (object, old) => prepareResize(object, old),
  },
};

/** Nothing runs yet, or any more: no reason to wait. */
function gracePeriodSeconds(object: Readonly<KubeObject>, asked: number | undefined): number {
  const { spec = {}, status = {} } = object as { spec?: Partial<PodSpec>; status?: PodStatus };
  const isOver = status.phase === "Failed" || status.phase === "Succeeded";
  if ((spec.nodeName ?? "") === "" || isOver) return 0;
  const period = asked ?? toNumber(spec.terminationGracePeriodSeconds ?? defaultGraceSeconds);
  return period < 0 ? 1 : period;
}

function showSchedulingGates(object: KubeObject): void {
  const pod = object as Pod;
  if ((pod.spec?.schedulingGates ?? []).length === 0) return;
  const condition = {
    type: "PodScheduled",
    status: "False",
    reason: "SchedulingGated",
    message: "Scheduling is blocked due to non-empty scheduling gates",
  };
  pod.status = { ...pod.status, conditions: [condition] };
}

function prepareStatus(pod: Pod, old: Readonly<Pod>): void {
  keep(pod.metadata, old.metadata, "ownerReferences");
  const status = (pod.status ??= {});
  status.qosClass ||= old.status?.qosClass ?? "";
  if (status.qosClass === "") delete status.qosClass;
  // podIP and podIPs say the same; where they differ the old single field wins.
  if (status.podIP && status.podIPs?.[0]?.ip !== status.podIP) {
    status.podIPs = [{ ip: status.podIP }];
  } else if (!status.podIP && status.podIPs?.[0]?.ip) {
    status.podIP = status.podIPs[0].ip;
  }
}

/** The stored pod with one field of its spec, and what metadata a write needs, from the request. */
function keepAllBut(
  object: KubeObject,
  old: Readonly<KubeObject>,
  field: "ephemeralContainers" | "containers" | "initContainers",
): void {
  const wanted = ((object["spec"] ?? {}) as Partial<PodSpec>)[field];
  takeStored(object, old);
  const spec: Record<string, unknown> = { ...(old["spec"] as object) };
  if (wanted === undefined) delete spec[field];
  else spec[field] = wanted;
  object["spec"] = spec;
}

function takeStored(object: KubeObject, old: Readonly<KubeObject>): void {
  const { resourceVersion, uid } = object.metadata;
  object.metadata = { ...old.metadata };
  if (resourceVersion === undefined) delete object.metadata.resourceVersion;
  else object.metadata.resourceVersion = resourceVersion;
  if (uid !== undefined) object.metadata.uid = uid;
  keep(object, old, "status");
}

/** Only resources and resizePolicy of containers that are there already; matched by name, in place. */
function prepareResize(object: KubeObject, old: Readonly<KubeObject>): void {
  const wanted = (object["spec"] ?? {}) as Partial<PodSpec>;
  const stored = (old["spec"] ?? {}) as Partial<PodSpec>;
  takeStored(object, old);
  const spec = { ...stored };
  spec.containers = resized(stored.containers ?? [], wanted.containers ?? []);
  if (stored.initContainers !== undefined) {
    spec.initContainers = resized(stored.initContainers, wanted.initContainers ?? []);
  }
  if (wanted.resources !== undefined) spec.resources = wanted.resources;
  object["spec"] = spec;
}

function resized(stored: readonly Container[], wanted: readonly Container[]): Container[] {
  return stored.map((container) => {
    const match = wanted.find(({ name }) => name === container.name);
    if (match === undefined) return container;
    const changed = { ...container };
    keep(changed, match, "resources");
    keep(changed, match, "resizePolicy");
    return changed;
  });
}
