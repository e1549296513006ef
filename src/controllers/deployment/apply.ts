// Carries out a Deployment's plan: the new ReplicaSet, sizes and annotations of the others, the history's end, and last
// the status, so that it never claims what was not done.
import type { Deployment, ReplicaSet } from "../../api/types/apps-v1.ts";
import { reasonOf } from "../../client/reason.ts";
import type { ResourceClient } from "../../client/resource-client.ts";
import { type Served, refOf } from "../../client/served-object.ts";
import type { Clock } from "../../host/host.ts";
import type { EventRecorder } from "../../informer/event-recorder.ts";
import { controllerOf } from "../../informer/index-functions.ts";
import { isNamespaceTerminating } from "../pods/pod-control.ts";
import { sameTemplate } from "./family.ts";
import type { DeploymentPlan, SetUpdate } from "./plan.ts";
import { conditionsAfterFailure } from "./status.ts";
import { messageOf } from "../../std/error-message.ts";

export interface DeploymentWriter {
  readonly clock: Clock;
  readonly deployments: ResourceClient<Deployment>;
  readonly sets: ResourceClient<ReplicaSet>;
  readonly recorder: EventRecorder;
}

export async function applyPlan(
  deployment: Readonly<Served<Deployment>>,
  plan: DeploymentPlan,
  writer: DeploymentWriter,
): Promise<void> {
  if (plan.create !== undefined && !(await createSet(deployment, plan.create, writer))) return;
  for (const update of plan.update) await updateSet(deployment, update, writer);
  for (const set of plan.delete) await deleteSet(set, writer);
  if (plan.deployment !== undefined) await writer.deployments.updateStatus(plan.deployment);
}

/** False when the plan was made too early: the ReplicaSet is there, and its event wakes us again. */
async function createSet(
  deployment: Readonly<Served<Deployment>>,
  set: ReplicaSet,
  writer: DeploymentWriter,
): Promise<boolean> {
  try {
    const made = await writer.sets.create(set);
    const { replicas = 0 } = made.spec ?? {};
    if (replicas > 0) sayScaled(deployment, { set: made, from: 0, to: replicas }, writer);
    return true;
  } catch (error) {
    if (isNamespaceTerminating(error)) throw error;
    if (reasonOf(error) === "AlreadyExists") return meetNamesake(deployment, set, writer);
    const name = set.metadata.name ?? "";
    const message = `Failed to create new replica set "${name}": ${messageOf(error)}`;
    const conditions = conditionsAfterFailure(deployment, message, writer.clock.now());
    const status = { ...deployment.status, conditions: [...conditions] };
    await writer.deployments.updateStatus({ ...deployment, status });
    writer.recorder.event(deployment, "Warning", "ReplicaSetCreateError", message);
    throw error;
  }
}

/** Someone else's ReplicaSet has our name: count the collision, which gives the next try another one. */
async function meetNamesake(
  deployment: Readonly<Served<Deployment>>,
  set: ReplicaSet,
  { sets, deployments }: DeploymentWriter,
): Promise<false> {
  const found = await sets.find(refOf(set));
  if (found === undefined) return false;
  const isOurs = controllerOf(found)?.uid === deployment.metadata.uid;
  if (isOurs && sameTemplate(found.spec?.template, set.spec?.template)) return false;
  const collisionCount = (deployment.status?.collisionCount ?? 0) + 1;
  await deployments.updateStatus({
    ...deployment,
    status: { ...deployment.status, collisionCount },
  });
  return false;
}

async function updateSet(
  deployment: Readonly<Served<Deployment>>,
  update: SetUpdate,
  writer: DeploymentWriter,
): Promise<void> {
  await writer.sets.update(update.set);
  if (update.from !== update.to) sayScaled(deployment, update, writer);
}

async function deleteSet(
  set: Readonly<Served<ReplicaSet>>,
  { sets }: DeploymentWriter,
): Promise<void> {
  try {
    await sets.delete(refOf(set));
  } catch (error) {
    if (reasonOf(error) !== "NotFound") throw error;
  }
}

function sayScaled(
  deployment: Readonly<Served<Deployment>>,
  { set, from, to }: SetUpdate,
  { recorder }: DeploymentWriter,
): void {
  const direction = to > from ? "up" : "down";
  const message = `Scaled ${direction} replica set ${set.metadata.name} from ${from} to ${to}`;
  recorder.event(deployment, "Normal", "ScalingReplicaSet", message);
}
