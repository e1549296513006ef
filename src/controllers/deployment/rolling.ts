// One step of a rolling update: grow the new ReplicaSet as far as the surge allows, else shrink the old ones as far as
// availability allows (upstream: pkg/controller/deployment/rolling.go).
import type { Deployment } from "../../api/types/apps-v1.ts";
import {
  type Family,
  type Member,
  boundsOf,
  byCreation,
  isRecreate,
  membersOf,
  sum,
  totalSize,
} from "./family.ts";

/** How large the new ReplicaSet may be now, beside what there is. */
export function sizeOfNew(deployment: Deployment, newSize: number, oldSize: number): number {
  const { replicas, maxSurge } = boundsOf(deployment);
  if (isRecreate(deployment.spec)) return replicas;
  const room = replicas + maxSurge - (newSize + oldSize);
  return room <= 0 ? newSize : newSize + Math.min(room, replicas - newSize);
}

export function rollingStep(deployment: Deployment, family: Family): Family {
  const { newest, old } = family;
  const { replicas } = boundsOf(deployment);
  if (newest === undefined) return family;
  const size =
    newest.size > replicas ? replicas : sizeOfNew(deployment, newest.size, totalSize(old));
  if (size !== newest.size) return { newest: { ...newest, size }, old };
  return { newest, old: shrinkOld(deployment, newest, old) };
}

function shrinkOld(
  deployment: Deployment,
  newest: Member,
  old: readonly Member[],
): readonly Member[] {
  const { replicas, maxUnavailable } = boundsOf(deployment);
  const minAvailable = replicas - maxUnavailable;
  const notYetAvailable = newest.size - availableOf(newest);
  const spare = totalSize(old) + newest.size - minAvailable - notYetAvailable;
  if (totalSize(old) === 0 || spare <= 0) return old;
  const oldestFirst = old.toSorted((a, b) => byStored(a, b));
  // Pods that serve nobody go first, whatever is available: else a broken revision could never be replaced.
  const healthy = take(oldestFirst, spare, ({ size, ...member }) => {
    const available = availableOf(member);
    return Math.max(0, size - available);
  });
  const available = sum(membersOf({ newest, old }), availableOf);
  return take(healthy, available - minAvailable, ({ size }) => size);
}

/** Takes up to `budget` replicas away, from the first on, from each at most what `spareOf` says. */
function take(
  members: readonly Member[],
  budget: number,
  spareOf: (member: Member) => number,
): readonly Member[] {
  let left = Math.max(0, budget);
  return members.map((member) => {
    const taken = Math.min(left, spareOf(member));
    left -= taken;
    return taken === 0 ? member : { ...member, size: member.size - taken };
  });
}

function availableOf({ set }: Pick<Member, "set">): number {
  return set.status?.availableReplicas ?? 0;
}

/** Members to be created come last. */
function byStored(a: Member, b: Member): number {
  if (a.stored === undefined || b.stored === undefined) return a.stored === undefined ? 1 : -1;
  return byCreation(a.stored, b.stored);
}
