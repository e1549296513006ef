// What a Deployment keeps in annotations: which revision a ReplicaSet is, which ones it was before, and for how many
// replicas it was last sized (upstream: pkg/controller/deployment/util/deployment_util.go).
import type { Deployment, ReplicaSet } from "../../api/types/apps-v1.ts";
import type { ApiObject } from "../../client/served-object.ts";

const revisionAnnotation = "deployment.kubernetes.io/revision";
const revisionHistoryAnnotation = "deployment.kubernetes.io/revision-history";
const desiredReplicasAnnotation = "deployment.kubernetes.io/desired-replicas";
const maxReplicasAnnotation = "deployment.kubernetes.io/max-replicas";

/** Not copied from the Deployment to its ReplicaSets. */
const ownAnnotations: ReadonlySet<string> = new Set([
  "kubectl.kubernetes.io/last-applied-configuration",
  revisionAnnotation,
  revisionHistoryAnnotation,
  desiredReplicasAnnotation,
  maxReplicasAnnotation,
  "deprecated.deployment.rollback.to",
]);

/** Characters of the list of former revisions; the oldest make room. */
const revisionHistoryCharsMax = 2_000;

export type Annotations = Readonly<Record<string, string>>;

/** 0 when it has none. */
export function revisionOf(object: ApiObject): number {
  return numberIn(object, revisionAnnotation) ?? 0;
}

export function nextRevision(oldSets: readonly ReplicaSet[]): number {
  return Math.max(0, ...oldSets.map(revisionOf)) + 1;
}

export function desiredReplicas(set: ReplicaSet): number | undefined {
  return numberIn(set, desiredReplicasAnnotation);
}

export function maxReplicas(set: ReplicaSet): number | undefined {
  return numberIn(set, maxReplicasAnnotation);
}

export function withSize(annotations: Annotations, desired: number, max: number): Annotations {
  return {
    ...annotations,
    [desiredReplicasAnnotation]: String(desired),
    [maxReplicasAnnotation]: String(max),
  };
}

/** The annotations that the new ReplicaSet of `deployment` should have. A revision never goes back. */
export function annotationsOfNew(
  deployment: Deployment,
  set: ReplicaSet,
  revision: number,
): Annotations {
  const before = set.metadata.annotations ?? {};
  const copied = Object.entries(deployment.metadata.annotations ?? {}).filter(
    ([key]) => !ownAnnotations.has(key),
  );
  const after = { ...before, ...Object.fromEntries(copied) };
  const old = before[revisionAnnotation];
  if (revisionOf(set) >= revision) return after;
  after[revisionAnnotation] = String(revision);
  // It comes back: people look for it under the number it had.
  if (old !== undefined)
    after[revisionHistoryAnnotation] = historyWith(before[revisionHistoryAnnotation], old);
  return after;
}

/** The Deployment's annotations under the revision of its new ReplicaSet; undefined when they say so already. */
export function annotationsOfDeployment(
  deployment: Deployment,
  newSet: ReplicaSet,
): Annotations | undefined {
  const revision = newSet.metadata.annotations?.[revisionAnnotation];
  const before = deployment.metadata.annotations ?? {};
  if (revision === undefined || before[revisionAnnotation] === revision) return undefined;
  return { ...before, [revisionAnnotation]: revision };
}

function historyWith(history: string | undefined, revision: string): string {
  const entries = (history ?? "").split(",").filter((entry) => entry !== "");
  entries.push(revision);
  while (entries.join(",").length > revisionHistoryCharsMax && entries.length > 1) entries.shift();
  return entries.join(",");
}

function numberIn({ metadata }: ApiObject, key: string): number | undefined {
  const text = metadata.annotations?.[key];
  return text !== undefined && /^-?[0-9]+$/.test(text) ? Number(text) : undefined;
}
