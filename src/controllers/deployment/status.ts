// What a Deployment says of itself: counts over its ReplicaSets, and whether it is available, progressing, failing
// (upstream: pkg/controller/deployment/{sync,progress}.go).
import type { Deployment, DeploymentCondition, DeploymentStatus } from "../../api/types/apps-v1.ts";
import { findCondition, withCondition, withoutCondition } from "../pods/condition.ts";
import { msOf, timestamp } from "../pods/timestamp.ts";
import { type Family, type Member, boundsOf, membersOf, sum, totalSize } from "./family.ts";

type Conditions = readonly DeploymentCondition[];
type Said = Pick<DeploymentCondition, "type" | "status" | "reason" | "message">;

/** progressDeadlineSeconds that stands for none. */
const noDeadline = 2 ** 31 - 1;
/** So that the deadline has surely passed when we look again. */
const deadlineMarginMs = 1_000;

/** Conditions the Deployment should have before progress is judged: it was paused, or got its new ReplicaSet. */
export function conditionsBefore(
  deployment: Deployment,
  { newest }: Family,
  now: number,
): Conditions {
  const conditions = pauseConditions(deployment, now);
  if (!hasDeadline(deployment) || newest === undefined) return conditions;
  const name = newest.set.metadata.name ?? "";
  const created = newest.stored === undefined;
  if (!created && findCondition(conditions, "Progressing") !== undefined) return conditions;
  const [reason, words] = created
    ? ["NewReplicaSetCreated", "Created"]
    : ["FoundNewReplicaSet", "Found"];
  const message = `${words} new replica set "${name}"`;
  return said(conditions, { type: "Progressing", status: "True", reason, message }, now);
}

/** The new ReplicaSet could not be made. */
export function conditionsAfterFailure(
  deployment: Deployment,
  message: string,
  now: number,
): Conditions {
  const conditions = deployment.status?.conditions ?? [];
  if (!hasDeadline(deployment)) return conditions;
  const reason = "ReplicaSetCreateError";
  return said(conditions, { type: "Progressing", status: "False", reason, message }, now);
}

/** Counts and availability. */
export function statusOf(
  deployment: Deployment,
  family: Family,
  situation: { readonly conditions: Conditions; readonly now: number },
): DeploymentStatus {
  const members = membersOf(family);
  const count = (valueOf: (member: Member) => number | undefined): number =>
    sum(members, (member) => valueOf(member) ?? 0);
  const availableReplicas = count(({ set }) => set.status?.availableReplicas);
  const { replicas, maxUnavailable } = boundsOf(deployment);
  const enough = availableReplicas >= replicas - maxUnavailable;
  const available: Said = enough
    ? {
        type: "Available",
        status: "True",
        reason: "MinimumReplicasAvailable",
        message: "Deployment has minimum availability.",
      }
    : {
        type: "Available",
        status: "False",
        reason: "MinimumReplicasUnavailable",
        message: "Deployment does not have minimum availability.",
      };
  const { collisionCount } = deployment.status ?? {};
  return {
    observedGeneration: deployment.metadata.generation ?? 0,
    replicas: count(({ set }) => set.status?.replicas),
    updatedReplicas: family.newest?.set.status?.replicas ?? 0,
    readyReplicas: count(({ set }) => set.status?.readyReplicas),
    availableReplicas,
    unavailableReplicas: Math.max(0, totalSize(members) - availableReplicas),
    terminatingReplicas: count(({ set }) => set.status?.terminatingReplicas),
    conditions: said(situation.conditions, available, situation.now),
    ...(collisionCount === undefined ? {} : { collisionCount }),
  };
}

/** Counts, availability, and how the rollout goes. */
export function rolloutStatusOf(
  deployment: Deployment,
  family: Family,
  situation: { readonly conditions: Conditions; readonly now: number },
): DeploymentStatus {
  const status = statusOf(deployment, family, situation);
  let conditions: Conditions = status.conditions ?? [];
  if (hasDeadline(deployment))
    conditions = progressConditions(deployment, family, status, situation.now);
  else conditions = withoutCondition(conditions, "Progressing");
  const failure = failureOf(family);
  conditions =
    failure === undefined
      ? withoutCondition(conditions, "ReplicaFailure")
      : setCondition(conditions, failure);
  return { ...status, conditions: [...conditions] };
}

/** The whole rollout is done: everything runs the present template and is available. */
export function isComplete(deployment: Deployment, status: DeploymentStatus | undefined): boolean {
  const { replicas } = boundsOf(deployment);
  const { updatedReplicas = 0, availableReplicas = 0, observedGeneration = 0 } = status ?? {};
  return (
    updatedReplicas === replicas &&
    (status?.replicas ?? 0) === replicas &&
    availableReplicas === replicas &&
    observedGeneration >= (deployment.metadata.generation ?? 0)
  );
}

/** When the progress deadline must be looked at, although nothing happens. */
export function untilDeadlineMs(
  deployment: Deployment,
  status: DeploymentStatus,
  now: number,
): number | undefined {
  const progressing = findCondition(status.conditions, "Progressing");
  if (!hasDeadline(deployment) || deployment.spec?.paused === true) return undefined;
  if (progressing === undefined || progressing.reason === "ProgressDeadlineExceeded")
    return undefined;
  if (isComplete(deployment, status)) return undefined;
  return Math.max(0, deadlineOf(deployment, progressing) - now) + deadlineMarginMs;
}

/** spec.paused is told once when it comes and once when it goes; the time of a pause is no delay. */
function pauseConditions(deployment: Deployment, now: number): Conditions {
  const conditions = deployment.status?.conditions ?? [];
  const progressing = findCondition(conditions, "Progressing");
  if (!hasDeadline(deployment) || progressing?.reason === "ProgressDeadlineExceeded")
    return conditions;
  const toldPaused = progressing?.reason === "DeploymentPaused";
  const paused = deployment.spec?.paused === true;
  if (paused === toldPaused) return conditions;
  const [reason, message] = paused
    ? ["DeploymentPaused", "Deployment is paused"]
    : ["DeploymentResumed", "Deployment is resumed"];
  return said(conditions, { type: "Progressing", status: "Unknown", reason, message }, now);
}

function progressConditions(
  deployment: Deployment,
  { newest }: Family,
  status: DeploymentStatus,
  now: number,
): Conditions {
  const conditions = status.conditions ?? [];
  const current = findCondition(conditions, "Progressing");
  const wasComplete =
    status.replicas === status.updatedReplicas && current?.reason === "NewReplicaSetAvailable";
  if (wasComplete) return conditions;
  const name = newest?.set.metadata.name;
  const subject =
    name === undefined ? `Deployment "${deployment.metadata.name}"` : `ReplicaSet "${name}"`;
  if (isComplete(deployment, status)) {
    const reason = "NewReplicaSetAvailable";
    const message = `${subject} has successfully progressed.`;
    return said(conditions, { type: "Progressing", status: "True", reason, message }, now);
  }
  if (hasProgressed(deployment.status ?? {}, status)) {
    const reason = "ReplicaSetUpdated";
    const message = `${subject} is progressing.`;
    const condition = { type: "Progressing", status: "True", reason, message };
    // Also when it says what it said: its update time is what the deadline is measured from.
    return withCondition(conditions, stamped(condition, current, now));
  }
  if (hasTimedOut(deployment, current, now)) {
    const reason = "ProgressDeadlineExceeded";
    const message = `${subject} has timed out progressing.`;
    return said(conditions, { type: "Progressing", status: "False", reason, message }, now);
  }
  return conditions;
}

function hasProgressed(before: DeploymentStatus, after: DeploymentStatus): boolean {
  const { replicas = 0, updatedReplicas = 0, readyReplicas = 0, availableReplicas = 0 } = before;
  const updated = after.updatedReplicas ?? 0;
  return (
    updated > updatedReplicas ||
    (after.replicas ?? 0) - updated < replicas - updatedReplicas ||
    (after.readyReplicas ?? 0) > readyReplicas ||
    (after.availableReplicas ?? 0) > availableReplicas
  );
}

function hasTimedOut(
  deployment: Deployment,
  progressing: DeploymentCondition | undefined,
  now: number,
): boolean {
  if (progressing === undefined || progressing.reason === "NewReplicaSetAvailable") return false;
  if (progressing.reason === "ProgressDeadlineExceeded") return true;
  return deadlineOf(deployment, progressing) < now;
}

function deadlineOf({ spec }: Deployment, { lastUpdateTime }: DeploymentCondition): number {
  return (msOf(lastUpdateTime) ?? 0) + (spec?.progressDeadlineSeconds ?? 0) * 1_000;
}

function hasDeadline({ spec }: Deployment): boolean {
  const seconds = spec?.progressDeadlineSeconds;
  return seconds !== undefined && seconds !== noDeadline;
}

/** The new ReplicaSet's failure to make or delete pods, else that of any. */
function failureOf(family: Family): DeploymentCondition | undefined {
  const members = family.newest === undefined ? family.old : [family.newest, ...family.old];
  for (const { set } of members) {
    const failure = findCondition(set.status?.conditions, "ReplicaFailure");
    if (failure === undefined) continue;
    const { lastTransitionTime = null } = failure;
    return { ...failure, lastUpdateTime: lastTransitionTime };
  }
  return undefined;
}

/** Status and reason that were told already keep their words and times. */
function said(conditions: Conditions, condition: Said, now: number): DeploymentCondition[] {
  const current = findCondition(conditions, condition.type);
  return setCondition(conditions, stamped(condition, current, now));
}

function setCondition(
  conditions: Conditions,
  condition: DeploymentCondition,
): DeploymentCondition[] {
  const current = findCondition(conditions, condition.type);
  if (current?.status === condition.status && current.reason === condition.reason)
    return [...conditions];
  return withCondition(conditions, condition);
}

function stamped(
  condition: Said,
  current: DeploymentCondition | undefined,
  now: number,
): DeploymentCondition {
  const since = current?.status === condition.status ? current.lastTransitionTime : undefined;
  return {
    ...condition,
    lastUpdateTime: timestamp(now),
    lastTransitionTime: since ?? timestamp(now),
  };
}
