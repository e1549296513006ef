// When a Deployment is scaled between or during rollouts, its ReplicaSets share the change in proportion to their sizes,
// so that a rollout under way keeps its risk (upstream: pkg/controller/deployment/sync.go, scale).
import type { Deployment } from "../../api/types/apps-v1.ts";
import {
  type Bounds,
  type Family,
  type Member,
  boundsOf,
  byCreation,
  isRecreate,
  membersOf,
  resized,
  totalSize,
} from "./family.ts";
import { desiredReplicas, maxReplicas } from "./revision.ts";

/** Some active ReplicaSet was sized for another number of replicas than the Deployment has now. */
export function isScaling(deployment: Deployment, family: Family): boolean {
  const { replicas } = boundsOf(deployment);
  return membersOf(family).some(({ size, set }) => {
    const desired = desiredReplicas(set);
    return size > 0 && desired !== undefined && desired !== replicas;
  });
}

/** `touched` members were sized for the present number, even if their size stayed. */
export interface Scaled {
  readonly family: Family;
  readonly touched: readonly Member[];
}

export function scale(deployment: Deployment, family: Family): Scaled {
  const bounds = boundsOf(deployment);
  const only = activeOrLatest(family);
  if (only !== undefined) return replaced(family, [resized(only, bounds.replicas)]);
  if (isSaturated(bounds, family.newest)) {
    const active = family.old.filter(({ size }) => size > 0);
    return replaced(
      family,
      active.map((member) => resized(member, 0)),
    );
  }
  return isRecreate(deployment.spec)
    ? { family, touched: [] }
    : replaced(family, shares(deployment, bounds, family));
}

/** The one that all replicas go to; undefined when several have some. */
function activeOrLatest(family: Family): Member | undefined {
  const active = membersOf(family).filter(({ size }) => size > 0);
  if (active.length > 1) return undefined;
  return active[0] ?? family.newest ?? family.old.toSorted(newerFirst)[0];
}

function isSaturated({ replicas }: Bounds, newest: Member | undefined): boolean {
  if (newest === undefined) return false;
  return (
    newest.size === replicas &&
    desiredReplicas(newest.set) === replicas &&
    newest.set.status?.availableReplicas === replicas
  );
}

function shares(deployment: Deployment, bounds: Bounds, family: Family): Member[] {
  const { replicas, maxSurge } = bounds;
  const active = membersOf(family).filter(({ size }) => size > 0);
  const allowed = replicas > 0 ? replicas + maxSurge : 0;
  const change = allowed - totalSize(active);
  const tieOrder = change > 0 ? newerFirst : olderFirst;
  const ordered = active.toSorted((a, b) => b.size - a.size || tieOrder(a, b));
  let given = 0;
  const sized: Member[] = [];
  for (const member of ordered) {
    const share = shareOf(member, deployment, change - given);
    given += share;
    sized.push(resized(member, member.size + share));
  }
  const [first, ...rest] = sized;
  // What rounding left over goes to the largest.
  return first === undefined
    ? []
    : [{ ...first, size: Math.max(0, first.size + change - given) }, ...rest];
}

/** Between nothing and `left`, which may be negative. */
function shareOf({ size, set }: Member, deployment: Deployment, left: number): number {
  if (left === 0) return 0;
  const { replicas, maxSurge } = boundsOf(deployment);
  if (replicas === 0) return Math.max(-size, left);
  const sizedFor = maxReplicas(set) ?? deployment.status?.replicas ?? 0;
  const ideal = sizedFor === 0 ? size : Math.round((size * (replicas + maxSurge)) / sizedFor);
  return left > 0 ? Math.min(ideal - size, left) : Math.max(ideal - size, left);
}

function replaced({ newest, old }: Family, touched: readonly Member[]): Scaled {
  const nameOf = ({ set }: Member): string => set.metadata.name ?? "";
  const byName = new Map(touched.map((member) => [nameOf(member), member]));
  const latest = (member: Member): Member => byName.get(nameOf(member)) ?? member;
  const family = {
    newest: newest === undefined ? undefined : latest(newest),
    old: old.map(latest),
  };
  return { family, touched };
}

function newerFirst(a: Member, b: Member): number {
  return -olderFirst(a, b);
}

function olderFirst(a: Member, b: Member): number {
  if (a.stored === undefined || b.stored === undefined) return a.stored === undefined ? 1 : -1;
  return byCreation(a.stored, b.stored);
}
