// A Deployment's ReplicaSets: the one with its present template, and the older ones, each with the size it is to have.
import type { Deployment, ReplicaSet } from "../../api/types/apps-v1.ts";
import type { PodTemplateSpec } from "../../api/types/core-v1.ts";
import { semanticallyEqual } from "../../api/validation/semantic-equality.ts";
import type { Served } from "../../client/served-object.ts";
import { controllerRefTo } from "../pods/controller-ref.ts";
import { scaledValue } from "../pods/int-or-percent.ts";
import { templateHash } from "../pods/template-hash.ts";

const hashLabel = "pod-template-hash";

/** A ReplicaSet as the plan would have it. */
export interface Member {
  /** Undefined: it is to be created. */
  readonly stored: Readonly<Served<ReplicaSet>> | undefined;
  /** As it should be, but for its size. */
  readonly set: ReplicaSet;
  /** spec.replicas as it should be. */
  readonly size: number;
}

export interface Family {
  readonly newest: Member | undefined;
  readonly old: readonly Member[];
}

export function membersOf({ newest, old }: Family): readonly Member[] {
  return newest === undefined ? old : [...old, newest];
}

export function memberOf(stored: Readonly<Served<ReplicaSet>>): Member {
  return { stored, set: stored, size: sizeOf(stored) };
}

export function resized(member: Member, size: number): Member {
  return { ...member, size };
}

export function sizeOf(set: ReplicaSet): number {
  return set.spec?.replicas ?? 0;
}

export function totalSize(members: readonly Member[]): number {
  return sum(members, ({ size }) => size);
}

export function sum<T>(items: readonly T[], valueOf: (item: T) => number): number {
  return items.reduce((total, item) => total + valueOf(item), 0);
}

/** Of several with the same template the oldest, so that everyone agrees (a server upgrade may have made two). */
export function findNewSet(
  { spec }: Deployment,
  sets: readonly Readonly<Served<ReplicaSet>>[],
): Readonly<Served<ReplicaSet>> | undefined {
  return sets.toSorted(byCreation).find((set) => sameTemplate(set.spec?.template, spec?.template));
}

export function byCreation(a: Served<ReplicaSet>, b: Served<ReplicaSet>): number {
  const [left, right] = [a.metadata, b.metadata];
  if (left.creationTimestamp !== right.creationTimestamp)
    return left.creationTimestamp < right.creationTimestamp ? -1 : 1;
  return left.name < right.name ? -1 : 1;
}

export function sameTemplate(
  a: PodTemplateSpec | undefined,
  b: PodTemplateSpec | undefined,
): boolean {
  return semanticallyEqual(withoutHash(a), withoutHash(b));
}

/** The ReplicaSet for the present template, without size and annotations. */
export function draftSet(deployment: Readonly<Served<Deployment>>): ReplicaSet {
  const { spec, status, metadata } = deployment;
  const template: PodTemplateSpec = spec?.template ?? { metadata: {} };
  const hash = templateHash(template, status?.collisionCount);
  const labels = { ...template.metadata.labels, [hashLabel]: hash };
  const selector = {
    ...spec?.selector,
    matchLabels: { ...spec?.selector?.matchLabels, [hashLabel]: hash },
  };
  return {
    metadata: {
      name: `${metadata.name}-${hash}`,
      namespace: metadata.namespace ?? "",
      labels,
      ownerReferences: [controllerRefTo(deployment)],
    },
    spec: {
      minReadySeconds: spec?.minReadySeconds ?? 0,
      selector,
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
}

export interface Bounds {
  /** spec.replicas. */
  readonly replicas: number;
  readonly maxSurge: number;
  readonly maxUnavailable: number;
}

/** As counts; at least one of the two lets the rollout go on (upstream: ResolveFenceposts). */
export function boundsOf({ spec }: Deployment): Bounds {
  const replicas = spec?.replicas ?? 1;
  const rolling = spec?.strategy?.rollingUpdate;
  if (isRecreate(spec) || replicas === 0) return { replicas, maxSurge: 0, maxUnavailable: 0 };
  const maxSurge = scaledValue(rolling?.maxSurge, replicas, "up");
  const down = scaledValue(rolling?.maxUnavailable, replicas, "down");
  const maxUnavailable = Math.min(replicas, maxSurge === 0 && down === 0 ? 1 : down);
  return { replicas, maxSurge, maxUnavailable };
}

export function isRecreate(spec: Deployment["spec"]): boolean {
  return spec?.strategy?.type === "Recreate";
}

function withoutHash(template: PodTemplateSpec | undefined): unknown {
  const { [hashLabel]: _, ...labels } = template?.metadata.labels ?? {};
  return { ...template, metadata: { ...template?.metadata, labels } };
}
